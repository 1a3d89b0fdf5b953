// Reads metrics from a Prometheus-compatible store: remote read with streamed XOR chunks or, where the store
// does not offer that, the range selector of the query API. Posts alerts to an Alertmanager (API v2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/http/http.h"
#include "base/read_report.h"
#include "finding/finding.h"
#include "fleet/read/metric_names.h"
#include "fleet/read/metric_series.h"
#include "fleet/read/series_names.h"

namespace lento::fleet {

struct PrometheusOptions {
  std::string url;         // "http://host:9090", with a path prefix if any
  base::HttpOptions http;  // credentials, TLS, limits
  std::vector<MetricSpec> metrics;
  std::vector<Matcher> match;  // conditions on labels, all must hold
  std::vector<std::string> machine_labels = default_machine_labels();
  std::vector<std::string> device_labels = default_device_labels();
  MachineNames names;
  std::vector<std::string> label_names{"stage", "pp_rank", "hardware", "rack"};
  bool chunks = true;  // false: only the range selector
  GridOptions grid;
  SeriesNames* series = nullptr;  // cache of interpreted labels across reads; null: each read has its own
};

// Returns an empty cache of interpreted labels by the rules of these options, for PrometheusOptions::series.
SeriesNames series_names(const PrometheusOptions& options);

// Reads the samples in [begin, end] of all metrics. Throws Error when the store cannot be reached or has no
// usable sample. Damaged chunks and samples are skipped and counted.
MetricSeries
read_prometheus(const PrometheusOptions& options, int64_t begin_ms, int64_t end_ms, base::ReadReport& report);

// Returns the sorted values of a label among series that meet the conditions and have samples in [begin,
// end]. Throws Error when the store does not answer the query, or answers over 10,000 values.
std::vector<std::string>
label_values(const PrometheusOptions& options, const std::string& label, int64_t begin_ms, int64_t end_ms);

// A sample of an instant query's answer.
struct InstantSample {
  LabelList labels;
  double value = 0;  // NaN where the store sends no number
};
// Returns the samples of an instant query at the store's current time. Throws Error when the store does not
// answer with series.
std::vector<InstantSample> instant_samples(const PrometheusOptions& options, const std::string& query);

// A scrape target with the value of a series that the store keeps of each target, such as `up`.
struct TargetSample {
  ScrapeTarget target;
  std::string machine;  // machine that the target's labels name; empty: none
  double value = 0;
};
// Returns the scrape targets that meet the conditions, none when the store has no such series for them.
// Throws Error when the store does not answer.
std::vector<TargetSample>
target_samples(const PrometheusOptions& options, const std::string& series, int64_t ago_ms = 0);

// Adds the names of machines that the store's node_uname_info gives to instances. Existing names of the table
// stay.
void learn_names(const PrometheusOptions& options, MachineNames& names);

// Returns the store's clock, or nothing when the store does not report it.
std::optional<int64_t> store_now_ms(const PrometheusOptions& options);

struct Alert {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> annotations;
  int64_t starts_ms = 0;
  int64_t ends_ms = 0;
};
// Posts alerts. Throws Error when the Alertmanager does not accept them.
void post_alerts(const std::string& url, const base::HttpOptions& http, const std::vector<Alert>& alerts);

// Returns "2026-01-02T03:04:05.678Z".
std::string rfc3339(int64_t unix_ms);

}  // namespace lento::fleet

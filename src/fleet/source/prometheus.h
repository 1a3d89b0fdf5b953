// Metrics from a Prometheus-compatible store: remote read with streamed XOR chunks, or, where the store does
// not offer that, the range selector of the query API. Alerts to an Alertmanager (API v2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/http.h"
#include "base/read_report.h"
#include "finding/finding.h"
#include "trace/metric_series.h"

namespace lento::fleet {

struct PrometheusOptions {
  std::string url;                   // "http://host:9090", with a path prefix if any
  base::HttpOptions http;            // credentials, TLS, limits
  std::vector<std::string> metrics;  // names, as stored
  std::vector<std::string> match;    // "job=training" conditions on labels, all must hold
  std::vector<std::string> machine_labels{"machine", "Hostname", "node", "nodename", "instance"};
  std::vector<std::string> device_labels{"gpu", "device"};
  std::vector<std::string> label_names{"stage", "pp_rank", "hardware", "rack"};
  bool chunks = true;  // false: only the range selector
  trace::GridOptions grid;
};

// Samples in [begin, end] of all metrics. Throws Error when the store cannot be reached or answers no
// metrics; damaged chunks and samples are skipped and counted.
trace::MetricSeries read_prometheus(const PrometheusOptions& options, int64_t begin_ms, int64_t end_ms,
                                    base::ReadReport& report);

// The values of a label among series that the conditions match and that have samples in [begin, end], sorted.
// Throws Error when the store does not answer that, or names over 10,000.
std::vector<std::string> label_values(const PrometheusOptions& options, const std::string& label,
                                      int64_t begin_ms, int64_t end_ms);

struct Alert {
  std::vector<std::pair<std::string, std::string>> labels, annotations;
  int64_t starts_ms = 0, ends_ms = 0;
};
// Throws Error when the Alertmanager does not take them.
void post_alerts(const std::string& url, const base::HttpOptions& http, const std::vector<Alert>& alerts);

// "2026-01-02T03:04:05.678Z"
std::string rfc3339(int64_t unix_ms);

}  // namespace lento::fleet

// Options that name the source of a fleet's metrics, files or a live store, and the functions that read it.
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/read/prometheus.h"
#include "fleet/read/source.h"

namespace lento::fleet {

struct FleetSource {
  std::vector<std::string> csv;
  std::string openmetrics;
  std::vector<std::string> answers;  // saved answers of Prometheus to range queries
  std::string op_trace;
  std::vector<std::string> metrics;
  std::vector<std::string> labels;
  CsvOptions columns;
  double step_s = 0;
  PrometheusOptions prometheus;
  std::string token_file;
  std::string basic_file;
  std::string tenant;
  double last_s = 900;
  double end_s = 0;
  std::vector<std::string> match;      // label conditions as PromQL has them
  std::string names_file;              // table NAME,MACHINE
  std::vector<std::string> exporters;  // names of known sets of metrics (fleet/read/metric_names.h)
};

// Returns the store with its credentials read from their files. Throws base::Error.
PrometheusOptions prometheus_of(const FleetSource& source);

// Reads credentials from files, or from the environment: PREFIX_TOKEN and PREFIX_BASIC (user:password).
void read_credentials(
    const std::string& token_file,
    const std::string& basic_file,
    const std::string& prefix,
    base::HttpOptions& http);

// Replaces instances (address:port) by host names from the store's node_uname_info. Names without an entry
// there remain.
void join_names(PrometheusOptions& store);

// Reads the source and adds it to `inputs`. Throws base::Error unless exactly one source is named, and for
// implausible content: no column for the machine, a time unit that is off by a thousand.
MetricSeries
read_source(const FleetSource& source, base::ReadReport& report, std::vector<finding::Input>& inputs);

// Reads the expectations of a diagnosis written by 'lento predict'. Throws base::Error for another kind of
// file.
std::vector<finding::Expectation> read_expectations(const std::string& path);

}  // namespace lento::fleet

// The source options that 'lento fleet diagnose', 'train' and 'watch' share.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "fleet/detect/detect.h"
#include "fleet/source/prometheus.h"
#include "fleet/source/source.h"
#include "trace/metric_series.h"

namespace lento::cli {

struct FleetSource {
  std::vector<std::string> csv;
  std::string openmetrics;
  std::string op_trace;
  std::vector<std::string> metrics, labels;
  fleet::CsvOptions columns;
  double step_s = 0;
  fleet::PrometheusOptions prometheus;
  std::string token_file, basic_file, tenant;
  double last_s = 900, end_s = 0;
  std::vector<std::string> map;  // names of an exporter: dcgm, node
};

// Declares --csv, --openmetrics, columns, period and step.
void add_source_options(Command& app, FleetSource& source);

// Declares --prometheus and what it needs: credentials, TLS, label conditions.
void add_prometheus_options(Command& app, FleetSource& source);

// The store with its credentials read from their files.
fleet::PrometheusOptions prometheus_of(const FleetSource& source);

// Declares --expect and --expect-metric.
void add_expect_options(Command& app, std::string& file, fleet::DetectOptions& detect);

// The expectations of a diagnosis written by 'lento predict', or of a plain list of them.
std::vector<finding::Expectation> read_expectations(const std::string& path);

// Reads whichever source was named; adds inputs and skipped records to `diagnosis`.
trace::MetricSeries read_source(const FleetSource& source, const Context& context, base::ReadReport& report,
                                std::vector<finding::Input>& inputs);

}  // namespace lento::cli

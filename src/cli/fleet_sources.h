// The source options that 'lento fleet diagnose', 'train' and 'watch' share.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "fleet/source/source.h"
#include "trace/metric_series.h"

namespace lento::cli {

struct FleetSource {
  std::vector<std::string> csv;
  std::string openmetrics;
  std::string op_trace;
  std::vector<std::string> metrics, labels;
  fleet::CsvOptions columns;
  double from = 0, to = 0;
  bool has_from = false, has_to = false;
  double step_s = 0;
};

// Declares --csv, --openmetrics, columns, period and step.
void add_source_options(CLI::App& app, FleetSource& source);

// Reads whichever source was named; adds inputs and skipped records to `diagnosis`.
trace::MetricSeries read_source(const FleetSource& source, const Context& context, base::ReadReport& report,
                                std::vector<finding::Input>& inputs);

}  // namespace lento::cli

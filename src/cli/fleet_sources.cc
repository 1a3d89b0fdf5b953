#include "cli/fleet_sources.h"

#include "base/error.h"
#include "base/file.h"

namespace lento::cli {

void add_source_options(CLI::App& app, FleetSource& s) {
  app.add_option("--csv", s.csv,
                 "CSV files (.gz, .xz, .zst); without --machine-column each file is one machine")
      ->type_name("FILE");
  app.add_option("--openmetrics", s.openmetrics, "Prometheus or OpenMetrics text with time stamps")
      ->type_name("FILE");
  app.add_option("--op-trace", s.op_trace, "CSV of operations: dp_rank,stage,step,op,...,start_us,dur_us")
      ->type_name("FILE");
  app.add_option("--machine-column", s.columns.machine_column, "Column that names the machine");
  app.add_option("--time-column", s.columns.time_column, "Column of the time")->capture_default_str();
  app.add_option("--time-unit", s.columns.time_unit, "Unit of the time column")
      ->check(CLI::IsMember({"s", "ms", "us"}))
      ->capture_default_str();
  app.add_option("--metric", s.metrics, "Metrics to judge; all when not given");
  app.add_option("--label", s.labels, "Columns or labels to keep as labels of the machine");
  app.add_option("--device-column", s.columns.device_column,
                 "Column that names the device (GPU) of a machine");
  app.add_option("--wide", s.columns.wide_metric, "Every column is a machine; this is the metric's name")
      ->type_name("METRIC");
  app.add_option("--step", s.step_s, "Seconds between steps of the common grid; found from the data when 0");
}

trace::MetricSeries read_source(const FleetSource& s, const Context& context, base::ReadReport& report,
                                std::vector<finding::Input>& inputs) {
  report.strict = context.strict;
  const int sources = !s.csv.empty() + !s.openmetrics.empty() + !s.op_trace.empty();
  if (sources != 1) {
    throw base::Error({}, "exactly one source is needed",
                      "name one of --csv, --openmetrics, --op-trace, --prometheus");
  }
  const auto note = [&](const std::string& path) {
    inputs.push_back(Context::input("metrics", path, base::read_file(path)));
  };
  if (!s.csv.empty()) {
    fleet::CsvOptions options = s.columns;
    options.paths = s.csv;
    options.metrics = s.metrics;
    options.label_columns = s.labels;
    options.grid.step_ms = static_cast<int64_t>(s.step_s * 1000);
    for (const std::string& path : s.csv) note(path);
    return fleet::read_csv(options, report);
  }
  if (!s.op_trace.empty()) {
    note(s.op_trace);
    return fleet::read_op_trace(s.op_trace, report);
  }
  fleet::OpenMetricsOptions options;
  options.path = s.openmetrics;
  options.metrics = s.metrics;
  options.label_names = s.labels;
  options.grid.step_ms = static_cast<int64_t>(s.step_s * 1000);
  note(s.openmetrics);
  return fleet::read_openmetrics(options, report);
}

}  // namespace lento::cli

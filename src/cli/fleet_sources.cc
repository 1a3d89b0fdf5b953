#include "cli/fleet_sources.h"

#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "fleet/source/metric_names.h"

namespace lento::cli {
namespace {

std::string first_line(const std::string& path) {
  const std::string text = base::read_file(path, 1 << 16);
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

void add_prometheus_options(Command& app, FleetSource& s) {
  app.add_option("--prometheus", s.prometheus.url, "Prometheus-compatible store, http://host:9090")
      ->type_name("URL");
  app.add_option("--match", s.prometheus.match, "Label condition, e.g. job=training; several must all hold")
      ->type_name("LABEL=VALUE");
  app.add_option("--machine-label", s.prometheus.machine_labels,
                 "Labels that name the machine, first present wins");
  app.add_option("--names", s.map, "Take the metrics of an exporter: dcgm, node")
      ->check(one_of({"dcgm", "node"}));
  app.add_option("--token-file", s.token_file, "File with a bearer token")->type_name("FILE");
  app.add_option("--basic-file", s.basic_file, "File with user:password")->type_name("FILE");
  app.add_option("--tenant", s.tenant, "X-Scope-OrgID of a multi-tenant store");
  app.add_option("--ca", s.prometheus.http.ca_file, "Certificate authority to trust")->type_name("FILE");
  app.add_option("--cert", s.prometheus.http.cert_file, "Own certificate")->type_name("FILE");
  app.add_option("--key", s.prometheus.http.key_file, "Key of the own certificate")->type_name("FILE");
  app.add_option("--timeout", s.prometheus.http.limits.timeout_s, "Seconds a request may take")
      ->check(range(0.1, 3600.0))
      ->capture_default_str();
  app.add_flag("!--no-chunks", s.prometheus.chunks, "Use the range selector instead of remote read");
}

fleet::PrometheusOptions prometheus_of(const FleetSource& s) {
  fleet::PrometheusOptions o = s.prometheus;
  o.metrics = s.metrics;
  for (const std::string& exporter : s.map) {
    for (const auto& [name, meaning] : fleet::exporter_metrics(exporter)) o.metrics.emplace_back(name);
  }
  for (const std::string& label : s.labels) o.label_names.push_back(label);
  while (o.url.ends_with('/')) o.url.pop_back();
  if (!s.token_file.empty()) o.http.bearer_token = first_line(s.token_file);
  if (!s.basic_file.empty()) {
    const std::string text = first_line(s.basic_file);
    const size_t colon = text.find(':');
    if (colon == std::string::npos) throw base::Error({s.basic_file, 1, 1}, "not user:password");
    o.http.user = text.substr(0, colon);
    o.http.password = text.substr(colon + 1);
  }
  if (!s.tenant.empty()) o.http.headers.push_back("X-Scope-OrgID: " + s.tenant);
  o.grid.step_ms = static_cast<int64_t>(s.step_s * 1000);
  return o;
}

void add_source_options(Command& app, FleetSource& s) {
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
      ->check(one_of({"s", "ms", "us"}))
      ->capture_default_str();
  app.add_option("--metric", s.metrics, "Metrics to judge; all when not given");
  app.add_option("--label", s.labels, "Columns or labels to keep as labels of the machine");
  app.add_option("--device-column", s.columns.device_column,
                 "Column that names the device (GPU) of a machine");
  app.add_option("--wide", s.columns.wide_metric, "Every column is a machine; this is the metric's name")
      ->type_name("METRIC");
  add_prometheus_options(app, s);
  app.add_option("--last", s.last_s, "Prometheus: seconds before the end")
      ->check(range(1.0, 1e7))
      ->capture_default_str();
  app.add_option("--end", s.end_s, "Prometheus: Unix seconds of the end; now when 0");
  app.add_option("--step", s.step_s, "Seconds between steps of the common grid; found from the data when 0");
}

trace::MetricSeries read_source(const FleetSource& s, const Context& context, base::ReadReport& report,
                                std::vector<finding::Input>& inputs) {
  report.strict = context.strict;
  const int sources =
      !s.csv.empty() + !s.openmetrics.empty() + !s.op_trace.empty() + !s.prometheus.url.empty();
  if (sources != 1) {
    throw base::Error({}, "exactly one source is needed",
                      "name one of --csv, --openmetrics, --op-trace, --prometheus");
  }
  if (!s.prometheus.url.empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    const int64_t end_ms = s.end_s > 0 ? std::llround(s.end_s * 1000) : now_ms;
    inputs.push_back({"metrics", s.prometheus.url, ""});
    return fleet::read_prometheus(prometheus_of(s), end_ms - std::llround(s.last_s * 1000), end_ms, report);
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

std::vector<finding::Expectation> read_expectations(const std::string& path) {
  const base::Json json = base::parse_json(base::read_file(path, uint64_t{64} << 20), path);
  return finding::diagnosis_from_json(json, path).expectations;
}

void add_expect_options(Command& app, std::string& file, fleet::DetectOptions& detect) {
  app.add_option("--expect", file, "Prediction (JSON of 'lento predict') to hold the whole fleet against")
      ->type_name("FILE");
  app.add_option("--expect-metric", detect.expected_metric,
                 "Metric that the prediction's step time is compared with")
      ->capture_default_str();
}

}  // namespace lento::cli

// Declares the options by which the fleet commands name their metrics: files, columns and periods, a
// Prometheus with its credentials, a prediction.
#include "cli/fleet/fleet_sources.h"

#include "fleet/read/metric_names.h"

namespace lento::cli {
namespace {

// The options that are read only together with one other option or one method, named by `owner`.
struct Owned {
  const char* owner;
  std::vector<const char*> options;
};
// Returns for each source and method the options that only it reads, so that refuse_idle_options can reject
// them elsewhere.
const std::vector<Owned>& owned_options() {
  static const std::vector<Owned> owned = {
      {"--prometheus",
       {"--match",
        "--names-table",
        "--device-label",
        "--machine-label",
        "--names",
        "--token-file",
        "--basic-file",
        "--tenant",
        "--ca",
        "--cert",
        "--key",
        "--timeout",
        "--no-chunks",
        "--last",
        "--end"}},
      {"--csv",
       {"--machine-column",
        "--time-column",
        "--time-unit",
        "--metric-column",
        "--value-column",
        "--device-column",
        "--wide"}},
      {"--method minder", {"--model", "--threshold", "--stride"}}};
  return owned;
}

}  // namespace

void refuse_idle_options(const Command& app, const fleet::FleetSource& source, const std::string& method) {
  for (const Owned& owned : owned_options()) {
    const std::string owner = owned.owner;
    const bool used = owner == "--prometheus" ? !source.prometheus.url.empty()
                      : owner == "--csv"      ? !source.csv.empty()
                                              : method == "minder";
    for (const char* option : owned.options) {
      if (!used && app.count(option) > 0)
        throw UsageError(std::string(option) + " belongs to " + owner + " and would do nothing here");
    }
  }
}

void add_prometheus_options(Command& app, fleet::FleetSource& s) {
  app.add_option("--prometheus", s.prometheus.url, "Prometheus-compatible store, http://host:9090")
      ->type_name("URL");
  app.add_option(
         "--match",
         s.match,
         "Label condition as in PromQL: job=training, 'task=~\"llm.*\"'; several must all hold")
      ->type_name("LABEL=VALUE");
  app.add_option(
         "--names-table",
         s.names_file,
         "Lines NAME,MACHINE: what a host name, address or pod is called (see 'lento fleet doctor')")
      ->type_name("FILE");
  app.add_option(
      "--device-label",
      s.prometheus.device_labels,
      "Labels that name a GPU of the machine, first present wins");
  app.add_option(
      "--machine-label",
      s.prometheus.machine_labels,
      "Labels that name the machine, first present wins");
  app.add_option(
         "--names",
         s.exporters,
         "Take the metrics of an exporter: amd, dcgm, gaudi, nccl, node, nvidia_gpu, xpu_timer")
      ->check(one_of(fleet::exporters()));
  app.add_option("--token-file", s.token_file, "File with a bearer token (or LENTO_PROMETHEUS_TOKEN)")
      ->type_name("FILE");
  app.add_option("--basic-file", s.basic_file, "File with user:password (or LENTO_PROMETHEUS_BASIC)")
      ->type_name("FILE");
  app.add_option("--tenant", s.tenant, "X-Scope-OrgID of a multi-tenant store");
  app.add_option("--ca", s.prometheus.http.ca_file, "Certificate authority to trust")->type_name("FILE");
  app.add_option("--cert", s.prometheus.http.cert_file, "Own certificate")->type_name("FILE");
  app.add_option("--key", s.prometheus.http.key_file, "Key of the own certificate")->type_name("FILE");
  app.add_option("--timeout", s.prometheus.http.limits.timeout_s, "Seconds a request may take")
      ->check(range(0.1, 3600.0))
      ->capture_default_str();
  app.add_flag("!--no-chunks", s.prometheus.chunks, "Use the range selector instead of remote read");
}

void add_source_options(Command& app, fleet::FleetSource& s) {
  app.add_option(
         "--csv",
         s.csv,
         "CSV files (.gz, .xz, .zst); columns that no option names are guessed, and the guess "
         "is "
         "shown")
      ->type_name("FILE");
  app.add_option("--openmetrics", s.openmetrics, "Prometheus or OpenMetrics text with time stamps")
      ->type_name("FILE");
  app.add_option("--answers", s.answers, "Saved answers of Prometheus to range queries (JSON)")
      ->type_name("FILE");
  app.add_option("--op-trace", s.op_trace, "CSV of operations: dp_rank,stage,step,op,...,start_us,dur_us")
      ->type_name("FILE");
  app.add_option("--machine-column", s.columns.machine_column, "Column that names the machine");
  app.add_option("--time-column", s.columns.time_column, "Column of the time");
  app.add_option("--time-unit", s.columns.time_unit, "Unit of a time column of numbers")
      ->check(one_of({"s", "ms", "us", "ns", "step"}));
  app.add_option("--metric-column", s.columns.metric_column, "Column that names the metric of a row");
  app.add_option("--value-column", s.columns.value_column, "Column of the values of such a table");
  app.add_option(
      "--metric",
      s.metrics,
      "Metrics to judge, or PromQL as NAME=EXPRESSION; all of a file when not given");
  app.add_option("--label", s.labels, "Columns or labels to keep as labels of the machine");
  app.add_option(
      "--device-column",
      s.columns.device_column,
      "Column that names the device (GPU) of a machine");
  app.add_option("--wide", s.columns.wide_metric, "Every column is a machine; this is the metric's name")
      ->type_name("METRIC");
  add_prometheus_options(app, s);
  app.add_option("--last", s.last_s, "Prometheus: seconds before the end")
      ->check(range(1.0, 1e7))
      ->capture_default_str();
  app.add_option("--end", s.end_s, "Prometheus: Unix seconds of the end; now when 0");
  app.add_option("--step", s.step_s, "Seconds between steps of the common grid; found from the data when 0")
      ->check(range(0.0, 1e6));
}

void add_expect_options(Command& app, std::string& file, std::string& metric) {
  app.add_option("--expect", file, "Prediction (JSON of 'lento predict') to hold the whole fleet against")
      ->type_name("FILE");
  app.add_option("--expect-metric", metric, "Metric that the prediction's step time is compared with")
      ->capture_default_str();
}

}  // namespace lento::cli

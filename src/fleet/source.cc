// Reads metrics from files or from a Prometheus-compatible store, with credentials and expectations.
#include "fleet/source.h"

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "base/http/http.h"
#include "base/json.h"
#include "base/units.h"
#include "fleet/read/metric_names.h"

namespace lento::fleet {
namespace {

using base::Error;

std::string first_line(const std::string& path) {
  const std::string text = base::read_file(path, 1 << 16);
  return text.substr(0, text.find_first_of("\r\n"));
}

void note(std::vector<finding::Input>& inputs, const std::string& path) {
  inputs.push_back({"metrics", path, base::digest(base::read_file(path))});
}

MetricSeries read_csv(const FleetSource& s, base::ReadReport& report, std::vector<finding::Input>& inputs) {
  CsvOptions options = s.columns;
  options.paths = s.csv;
  options.metrics = s.metrics;
  options.label_columns = s.labels;
  options.grid.step_ms = std::llround(s.step_s * 1000);
  for (const std::string& path : s.csv) {
    if (options.shown_as.empty())
      note(inputs, path);
    else
      inputs.push_back({"metrics", options.shown_as, ""});
  }
  return read_csv(options, report);
}

MetricSeries
read_answers(const FleetSource& s, base::ReadReport& report, std::vector<finding::Input>& inputs) {
  RangeOptions options;
  options.paths = s.answers;
  options.metrics = s.metrics;
  options.label_names = s.labels;
  options.grid.step_ms = std::llround(s.step_s * 1000);
  for (const std::string& path : s.answers)
    note(inputs, path);
  return read_range_answers(options, report);
}

MetricSeries read_store(const FleetSource& s, base::ReadReport& report, std::vector<finding::Input>& inputs) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const int64_t end_ms = s.end_s > 0 ? std::llround(s.end_s * 1000) : now_ms;
  inputs.push_back({"metrics", base::without_password(s.prometheus.url), ""});
  PrometheusOptions store = prometheus_of(s);
  join_names(store);
  return read_prometheus(store, end_ms - std::llround(s.last_s * 1000), end_ms, report);
}

// Separates the credentials from "http://user:password@host", so that the address may be shown, stored and
// put into errors.
void take_credentials(PrometheusOptions& o) {
  const size_t scheme = o.url.find("://");
  if (scheme == std::string::npos)
    return;
  const size_t begin = scheme + 3;
  const size_t end = std::min(o.url.find('/', begin), o.url.size());
  const std::string authority = o.url.substr(begin, end - begin);
  const size_t at = authority.rfind('@');
  if (at == std::string::npos)
    return;
  const size_t colon = std::min(authority.find(':'), at);
  o.http.user = base::percent_decoded(authority.substr(0, colon), false);
  if (colon < at)
    o.http.password = base::percent_decoded(authority.substr(colon + 1, at - colon - 1), false);
  o.url = o.url.substr(0, begin) + authority.substr(at + 1) + o.url.substr(end);
}

}  // namespace

void read_credentials(
    const std::string& token_file,
    const std::string& basic_file,
    const std::string& prefix,
    base::HttpOptions& http) {
  const auto value = [&](const std::string& file, const char* what) -> std::string {
    if (!file.empty())
      return first_line(file);
    const char* set = std::getenv((prefix + what).c_str());
    return set ? set : "";
  };
  http.bearer_token = value(token_file, "_TOKEN");
  const std::string basic = value(basic_file, "_BASIC");
  if (basic.empty())
    return;
  const size_t colon = basic.find(':');
  if (colon == std::string::npos)
    throw Error({basic_file.empty() ? prefix + "_BASIC" : basic_file, 1, 1}, "not user:password");
  http.user = basic.substr(0, colon);
  http.password = basic.substr(colon + 1);
}

PrometheusOptions prometheus_of(const FleetSource& s) {
  PrometheusOptions o = s.prometheus;
  for (const std::string& text : s.metrics)
    o.metrics.push_back(parse_metric(text));
  for (const std::string& exporter : s.exporters) {
    const auto& ready = exporter_metrics(exporter);
    o.metrics.insert(o.metrics.end(), ready.begin(), ready.end());
  }
  for (const std::string& text : s.match)
    o.match.push_back(parse_matcher(text));
  if (!s.names_file.empty())
    o.names.read(s.names_file);
  for (const std::string& label : s.labels)
    o.label_names.push_back(label);
  while (o.url.ends_with('/'))
    o.url.pop_back();
  take_credentials(o);
  read_credentials(s.token_file, s.basic_file, "LENTO_PROMETHEUS", o.http);
  if (!s.tenant.empty())
    o.http.headers.push_back("X-Scope-OrgID: " + s.tenant);
  o.grid.step_ms = std::llround(s.step_s * 1000);
  return o;
}

void join_names(PrometheusOptions& store) {
  try {
    learn_names(store, store.names);
  } catch (const Error&) {
    return;  // without such a series no names are joined; when the store is down, the first read reports it
  }
}

// Reads the metrics from the one source that the options name. Throws base::Error for none or several.
MetricSeries
read_source(const FleetSource& s, base::ReadReport& report, std::vector<finding::Input>& inputs) {
  const int sources = !s.csv.empty() + !s.openmetrics.empty() + !s.answers.empty() + !s.op_trace.empty() +
                      !s.prometheus.url.empty();
  if (sources != 1) {
    throw Error(
        {},
        "exactly one source is needed",
        "name one of --csv, --openmetrics, --answers, --op-trace, --prometheus");
  }
  if (!s.prometheus.url.empty())
    return read_store(s, report, inputs);
  if (!s.csv.empty())
    return read_csv(s, report, inputs);
  if (!s.answers.empty())
    return read_answers(s, report, inputs);
  if (!s.op_trace.empty()) {
    note(inputs, s.op_trace);
    return read_op_trace(s.op_trace, report);
  }
  OpenMetricsOptions options;
  options.path = s.openmetrics;
  options.metrics = s.metrics;
  options.label_names = s.labels;
  options.grid.step_ms = std::llround(s.step_s * 1000);
  note(inputs, s.openmetrics);
  return read_openmetrics(options, report);
}

std::vector<finding::Expectation> read_expectations(const std::string& path) {
  const base::Json json = base::parse_json(base::read_file(path, uint64_t{64} << 20), path);
  const finding::Diagnosis d = finding::diagnosis_from_json(json, path);
  if (d.expectations.empty()) {
    throw Error(
        {path},
        "this diagnosis (scale '" + d.scale + "') expects nothing of a step",
        "--expect wants the JSON of 'lento predict'");
  }
  return d.expectations;
}

}  // namespace lento::fleet

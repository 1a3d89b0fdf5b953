// Reads saved answers of Prometheus to range queries, as `curl .../api/v1/query_range` prints them:
//
//   answer = {"status": "success", "data": {"resultType": "matrix", "result": [SERIES]}}
//   SERIES = {"metric": {LABEL: TEXT}, "values": [[SECONDS, TEXT], ...]}
//
// Machine and device follow from the labels. A result of an expression such as rate(...) has no metric name,
// so the file name is used. When a machine or device has several series of one metric, the labels in which
// they differ become part of the metric's name: node_cpu_seconds_total{mode=idle}.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "fleet/read/counters.h"
#include "fleet/read/series_names.h"
#include "fleet/read/source.h"

namespace lento::fleet {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

struct RangeSeries {
  std::string metric;
  LabelList labels;
  std::string machine;
  std::string device;
  const base::Json* values;
};

// Returns the labels in which series of one machine and device differ, by metric.
std::map<std::string, std::set<std::string>> dividing_labels(const std::vector<RangeSeries>& all) {
  std::map<std::array<std::string, 3>, const RangeSeries*> first;
  std::map<std::string, std::set<std::string>> out;
  for (const RangeSeries& series : all) {
    const auto [at, is_new] =
        first.emplace(std::array{series.metric, series.machine, series.device}, &series);
    if (is_new)
      continue;
    const std::set<std::pair<std::string, std::string>> known(
        at->second->labels.begin(),
        at->second->labels.end());
    for (const auto& label : series.labels)
      if (!known.contains(label))
        out[series.metric].insert(label.first);
  }
  return out;
}

std::string full_name(const RangeSeries& series, const std::set<std::string>& dividing) {
  std::string text;
  for (const auto& [key, value] : series.labels)
    if (dividing.contains(key))
      text += (text.empty() ? "" : ",") + key + "=" + value;
  return text.empty() ? series.metric : series.metric + "{" + text + "}";
}

class RangeReader {
 public:
  RangeReader(const RangeOptions& options, SeriesBuilder& builder, base::ReadReport& report)
      : options_(options),
        builder_(builder),
        report_(report),
        names_({options.machine_labels, options.device_labels, options.label_names}, {}) {
  }

  void read(const std::string& path) {
    const base::Location where{path};
    const base::Json answer = base::parse_json(base::read_file(path, kMostBytes), path);
    const std::vector<RangeSeries> all = series_of(answer, path, where);
    const auto dividing = dividing_labels(all);
    for (const RangeSeries& series : all) {
      const auto at = dividing.find(series.metric);
      take(series, at == dividing.end() ? series.metric : full_name(series, at->second), where);
    }
  }

 private:
  std::vector<RangeSeries>
  series_of(const base::Json& answer, const std::string& path, const base::Location& where) {
    if (answer.string_or("status", "", where) != "success")
      throw base::Error(where, "not the answer of a query that succeeded");
    const std::string stem = std::filesystem::path(path).filename().string();
    std::vector<RangeSeries> all;
    for (const base::Json& item : answer.at("data", where).at("result", where).array(where)) {
      RangeSeries series{stem.substr(0, stem.find('.')), {}, {}, {}, &item.at("values", where)};
      for (const auto& [key, value] : item.at("metric", where).object(where)) {
        if (key == "__name__")
          series.metric = value.string(where);
        else
          series.labels.emplace_back(key, value.string(where));
      }
      const SeriesName name = names_.name(series.labels);
      series.machine = name.machine;
      series.device = name.device;
      const auto& keep = options_.metrics;
      if (name.machine.empty())
        report_.skip(where, "no machine label");
      else if (keep.empty() || std::ranges::find(keep, series.metric) != keep.end())
        all.push_back(std::move(series));
    }
    return all;
  }

  // Adds the samples of a series. For a counter these are rates, and a reset adds none.
  void take(const RangeSeries& series, const std::string& metric, const base::Location& where) {
    const SeriesBuilder::Key key{
        builder_.metric(metric),
        builder_.machine(series.machine),
        builder_.device(series.device)};
    for (const auto& [label, value] : names_.name(series.labels).labels)
      builder_.set_label(key.machine, label, value);
    const bool is_rate = is_counter(series.metric);
    CounterRate counter;
    for (const base::Json& sample : series.values->array(where)) {
      const auto& pair = sample.array(where);
      std::optional<double> value = pair.size() == 2 ? base::try_double(pair[1].string(where)) : std::nullopt;
      const double time_s = value ? pair[0].number(where) : NAN;
      if (!(std::abs(time_s) < 9e12) || is_blank(*value)) {
        report_.skip(where, "no time and finite value");
        continue;
      }
      const int64_t time_ms = std::llround(time_s * 1000);
      if (is_rate)
        value = counter.next(time_ms, *value);
      if (value)
        builder_.add(key, time_ms, *value, where);
    }
  }

  const RangeOptions& options_;
  SeriesBuilder& builder_;
  base::ReadReport& report_;
  SeriesNames names_;
};

}  // namespace

bool is_range_answer(std::string_view head) {
  const size_t at = head.find("\"resultType\"");
  return at != head.npos && head.substr(at, 40).find("\"matrix\"") != head.npos;
}

MetricSeries read_range_answers(const RangeOptions& options, base::ReadReport& report) {
  SeriesBuilder builder(report);
  builder.begin_part_in_any_order();  // files of one metric may follow each other in any order
  RangeReader reader(options, builder, report);
  for (const std::string& path : options.paths)
    reader.read(path);
  return builder.build(options.grid, {options.paths.empty() ? "" : options.paths.front()});
}

}  // namespace lento::fleet

// The list of methods for recorded periods and the choice of one by name.
#include "fleet/methods.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/units.h"
#include "fleet/by_minder.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

// Throws base::Error when --group-by names a label that no machine has.
void require_labels(const MetricSeries& series, const ScanOptions& options) {
  const ScanOptions usual;
  if (options.group_by == usual.group_by)
    return;
  std::set<std::string> known;
  for (const Labels& labels : series.labels) {
    for (const auto& [key, value] : labels)
      known.insert(key);
  }
  for (const std::string& key : options.group_by) {
    if (known.contains(key))
      continue;
    std::string names;
    for (const std::string& name : known)
      names += (names.empty() ? "" : ", ") + name;
    throw base::Error(
        {"--group-by"},
        "no machine has a label '" + key.substr(0, 60) + "'",
        names.empty() ? "--label names the columns or labels to keep" : "the labels are " + names);
  }
}

int64_t judged_from(const MetricSeries& series, double seconds) {
  const double length = double(series.steps) * double(series.step_ms) / 1000;
  if (seconds >= length) {
    throw base::Error(
        {"--judge-from"},
        base::format_number(seconds) + " s is after the end: the recording is " +
            base::format_number(length) + " s long",
        "nothing would be left to judge");
  }
  return series.begin_ms + std::llround(seconds * 1000);
}

// Judges the metrics with the scan statistic.
finding::Diagnosis
judge_by_scan(const MetricSeries& series, const FleetDiagnosisOptions& o, const base::Progress& progress) {
  ScanOptions options = o.scan;
  require_labels(series, options);
  if (o.judge_from_s)
    options.judge_from_ms = judged_from(series, *o.judge_from_s);
  if (!o.expect.empty())
    options.expectations = read_expectations(o.expect);
  return scan(series, options, progress);
}

}  // namespace

const std::vector<FleetMethod>& fleet_methods() {
  static const std::vector<FleetMethod> list{
      {"lento",
       "one scan statistic at several lengths, noise from all machines and earlier blocks",
       judge_by_scan},
      {"minder", "similarity of embeddings as in the Minder paper; needs --model", judge_by_minder}};
  return list;
}

const FleetMethod& fleet_method(const std::string& name) {
  const auto found = std::ranges::find(fleet_methods(), std::string_view(name), &FleetMethod::name);
  if (found != fleet_methods().end())
    return *found;
  std::string known;
  for (const FleetMethod& m : fleet_methods())
    known += (known.empty() ? "" : ", ") + std::string(m.name);
  throw base::Error({"--method"}, "no method '" + name.substr(0, 40) + "'", "there are " + known);
}

}  // namespace lento::fleet

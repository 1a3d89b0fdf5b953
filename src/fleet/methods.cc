// The list of methods for recorded periods and the choice of one by name.
#include "fleet/methods.h"

#include <algorithm>

#include "base/error.h"
#include "fleet/by_minder.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

// Judges the metrics with the scan statistic.
finding::Diagnosis
judge_by_scan(const MetricSeries& series, const FleetDiagnosisOptions& o, const base::Progress& progress) {
  ScanOptions options = o.scan;
  if (o.judge_from_s)
    options.judge_from_ms = series.begin_ms + int64_t(*o.judge_from_s * 1000);
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

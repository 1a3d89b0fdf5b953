// Reads a fleet's metrics, checks that they suffice, and runs the chosen method on them.
#include "fleet/diagnose.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "base/error.h"
#include "fleet/methods.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;

// Concludes CannotJudge when more records were skipped than read, because the rest may not represent the job.
void doubt_records(Diagnosis& d, const base::ReadReport& report) {
  if (report.skipped <= report.taken)
    return;
  std::string most;
  uint64_t count = 0;
  for (const auto& [reason, n] : report.reasons) {
    if (n <= count)
      continue;
    most = reason;
    count = n;
  }
  const uint64_t all = report.taken + report.skipped;
  finding::cannot_judge(
      d,
      std::to_string(report.skipped) + " of " + std::to_string(all) + " records do not fit (most: " + most +
          ")",
      "check the columns, the labels that name a machine (--machine-column, "
      "--machine-label) and those that name a device",
      d.covered);
}

// "NODE01" and "node01" are likelier one machine with two names than two machines.
void doubt_names(Diagnosis& d, const std::vector<std::string>& machines) {
  std::map<std::string, std::string> first;
  for (const std::string& name : machines) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
      return char(std::tolower(c));
    });
    const auto [known, is_new] = first.try_emplace(lower, name);
    if (is_new)
      continue;
    d.notes.push_back(
        known->second + " and " + name +
        " differ in capital letters only and were judged as two machines: write one name");
    return;
  }
}

}  // namespace

Diagnosis
diagnose_fleet(const MetricSeries& series, const FleetDiagnosisOptions& o, const base::Progress& progress) {
  Diagnosis d = fleet_method(o.method).judge(series, o, progress);
  doubt_names(d, series.machines);
  return d;
}

Diagnosis diagnose_fleet(const FleetDiagnosisOptions& o, const base::Progress& progress) {
  base::ReadReport report;
  report.strict = o.strict;
  std::vector<finding::Input> inputs;
  const MetricSeries series = read_source(o.source, report, inputs);
  Diagnosis d = diagnose_fleet(series, o, progress);
  doubt_records(d, report);
  d.inputs = std::move(inputs);
  d.notes.insert(d.notes.begin(), series.notes.begin(), series.notes.end());
  finding::add_read_report(d, report);
  return d;
}

}  // namespace lento::fleet

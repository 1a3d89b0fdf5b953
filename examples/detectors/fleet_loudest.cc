// A detector of one's own for the fleet: the machine whose first metric lies furthest above the median of all
// is named when it is half as much again. Copied to src/fleet and listed in methods.cc, it answers to
// `lento fleet diagnose --method loudest` (CONTRIBUTING.md, recipes).
#include <cmath>

#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/methods.h"
#include "fleet/scan/covered.h"

namespace lento::fleet {
namespace {

constexpr double kMuchMore = 1.5;  // times the median of all machines

std::vector<double> mean_levels(const MetricSeries& series) {
  std::vector<double> levels(series.machines.size());
  for (size_t m = 0; m < levels.size(); ++m) {
    std::vector<double> values;
    for (size_t step = 0; step < series.steps; ++step)
      if (const float v = series.at(0, step, m); !std::isnan(v))
        values.push_back(double(v));
    levels[m] = evidence::mean(values);
  }
  return levels;
}

}  // namespace

finding::Diagnosis
judge_by_loudest(const MetricSeries& series, const FleetDiagnosisOptions&, const base::Progress&) {
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Loudest of " + std::to_string(series.machines.size()) + " machines";
  const std::string covered = covered_text(series, series.step_ms);
  if (series.machines.size() < 3 || series.metrics.empty()) {
    finding::cannot_judge(d, "fewer than three machines", "read the metrics of the whole job", covered);
    return d;
  }
  const std::vector<double> levels = mean_levels(series);
  const double usual = evidence::median(levels);
  for (size_t m = 0; m < levels.size(); ++m) {
    if (levels[m] < kMuchMore * usual)
      continue;
    finding::Finding f;
    f.subject = series.machines[m];
    f.category = "loud machine";
    f.score = 1 - usual / levels[m];
    f.summary = f.subject + " has " + base::format_number(levels[m]) + " of " + series.metrics[0] +
                ", the median is " + base::format_number(usual);
    d.findings.push_back(std::move(f));
  }
  finding::sort_findings(d.findings);
  d.verdict = d.findings.empty() ? "No machine is loud." : d.findings.front().summary;
  finding::judged(d, covered);
  return d;
}

}  // namespace lento::fleet

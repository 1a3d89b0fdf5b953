// Estimates the factor of a component from the fastest transfer of each time bin: the factor at which the
// path without other traffic takes as long. The median or the lower quartile over patterns is returned.
#include "chip/detect/factor.h"

#include <algorithm>
#include <cmath>

#include "chip/detect/tuning.h"
#include "chip/sketch/level.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

// Returns the time bins wholly inside the suspect's interval, or all bins that it touches when there are
// none.
Bins inside(const Cells& cells, const Suspect& s) {
  Bins bins = bins_of(cells, s.begin, s.end);
  if (covers_whole_bins(cells, s)) {
    ++bins.begin;
    --bins.end;
  }
  return bins;
}

// Returns, for each pattern through the component, the factor that explains its fastest transfers. Patterns
// that even kMostFactor would change by less than kVisible are left out. With `wait`, the time that these
// transfers wait on a healthy chip is attributed to the component as well, which gives an upper bound.
std::vector<double> shown_factors(const ScanInput& in, const Suspect& suspect, bool wait = false) {
  const Bins bins = inside(in.cells, suspect);
  std::vector<double> factors;
  std::vector<double> lowest;
  for (size_t r = 0; r < in.paths.size(); ++r) {
    if (!in.paths[r].crosses(suspect.component))
      continue;
    const Row& row = in.cells.rows[r];
    lowest.clear();
    for (size_t b = bins.begin; b < bins.end; ++b)
      if (row.cells[b].count > 0)
        lowest.push_back(row.cells[b].lowest);
    if (lowest.empty())
      continue;
    const double offset = level_offset(row.pattern.kind) / double{kLevelsPerOctave};
    const double healthy = std::exp2(in.baselines[r].lowest - offset) * row.bytes;
    const double most =
        in.paths[r].cycles(row.bytes, suspect.component, kMostFactor) - in.paths[r].cycles(row.bytes);
    if (std::log2(1 + most / healthy) < kVisible)
      continue;
    const double extra = std::exp2(evidence::median(lowest) - offset) * row.bytes - healthy;
    const double unloaded = wait ? healthy : in.paths[r].cycles(row.bytes);
    factors.push_back(
        std::clamp(in.paths[r].factor(row.bytes, suspect.component, unloaded + extra), 1.0, kMostFactor));
  }
  return factors;
}

}  // namespace

// The first and the last bin do not count: the interval may cover them in part, and then their fastest
// transfers are healthy ones.
bool covers_whole_bins(const Cells& cells, const Suspect& s) {
  const Bins bins = bins_of(cells, s.begin, s.end);
  return bins.end > bins.begin + 2;
}

double envelope_factor(const ScanInput& in, const Suspect& suspect) {
  if (!covers_whole_bins(in.cells, suspect))
    return suspect.factor;
  const std::vector<double> factors = shown_factors(in, suspect);
  return factors.empty() ? suspect.factor : std::max(kFactorStep, evidence::median(factors));
}

double factor_of_the_fastest(const ScanInput& in, const Suspect& suspect) {
  if (!covers_whole_bins(in.cells, suspect))
    return 0;
  std::vector<double> factors = shown_factors(in, suspect);
  if (factors.empty())
    return 0;
  return evidence::nth_smallest_reordering(std::span(factors), size_t(double(factors.size()) * kFewest));
}

double most_allowed_factor(const ScanInput& in, const Suspect& suspect) {
  if (!covers_whole_bins(in.cells, suspect))
    return kMostFactor;
  const std::vector<double> factors = shown_factors(in, suspect, true);
  return factors.empty() ? kMostFactor : kFastestAheadByNoise * evidence::quantile(factors, kFewest);
}

double most_possible_factor(const ScanInput& in, const Suspect& suspect) {
  const double shown = factor_of_the_fastest(in, suspect);
  return shown > 0 ? kFastestAheadByNoise * shown : kMostFactor;
}

double
corrected_factor(const ScanInput& before, const Suspect& suspect, const std::vector<Baseline>& simulated) {
  const Bins bins = inside(before.cells, suspect);
  double recorded = 0;
  double expected = 0;
  for (size_t r = 0; r < before.paths.size(); ++r) {
    if (!before.paths[r].crosses(suspect.component))
      continue;
    double step = 0;
    double above = 0;
    int count = 0;
    for (size_t b = bins.begin; b < bins.end; ++b) {
      const Cell& cell = before.cells.rows[r].cells[b];
      const float level = before.baselines[r].level[b];
      step += float(cell.count) * (simulated[r].level[b] - level);
      above += float(cell.count) * (cell.level - level);
      count += cell.count;
    }
    if (count == 0)
      continue;
    const double weight = 1 / before.baselines[r].variance(count) / count / count;
    recorded += weight * step * above;
    expected += weight * step * step;
  }
  if (expected <= 0)
    return suspect.factor;
  return std::clamp(std::pow(suspect.factor, recorded / expected), kFactorStep, kMostFactor);
}

}  // namespace lento::chip

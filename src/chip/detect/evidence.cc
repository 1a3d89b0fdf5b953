// Lists the patterns through a suspect by how much longer their transfers take than the baseline, sums the
// added waiting, and counts how many of the patterns were slower than expected.
#include "chip/detect/evidence.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.h"
#include "chip/detect/alike.h"
#include "chip/detect/tuning.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

// The time that the transfers of one pattern through the suspect took beyond their expectation, in the time
// bins of the suspect's interval.
struct Shown {
  double above = 0;  // octaves, mean over the records
  size_t row = 0;    // index of the pattern's row in Cells
  uint64_t records = 0;
  double waited = 0;  // cycles, summed over its transfers
};

Shown shown_by(const ScanInput& seen, size_t r, Bins bins) {
  const Row& row = seen.cells.rows[r];
  const double per_level = row.bytes / std::exp2(level_offset(row.pattern.kind) / double{kLevelsPerOctave});
  Shown out{0, r, 0, 0};
  for (size_t b = bins.begin; b < bins.end; ++b) {
    const Cell& cell = row.cells[b];
    if (cell.count == 0)
      continue;
    const float expected = seen.baselines[r].level[b];
    out.above += (cell.level - expected) * float(cell.count);
    out.records += uint64_t(cell.count);
    out.waited += std::max(0.0F, std::exp2(cell.level) - std::exp2(expected)) * per_level * cell.count;
  }
  if (out.records > 0)
    out.above /= double(out.records);
  return out;
}

}  // namespace

std::string format_factor(double factor) {
  return base::format_number(factor, 3);  // digits
}

double score_of(double strength) {
  return 1 - std::exp(-strength / kScoreStrength);
}

void add_evidence(
    Suspect& s,
    const ScanInput& seen,
    const std::vector<Component>& components,
    const spec::Chip& chip,
    uint64_t run_cycles) {
  const Grid grid(chip);
  s.alike = alike(s.component, flows_between(seen.cells, s.begin, s.end), components, chip, grid);
  const Bins bins = bins_of(seen.cells, s.begin, s.end);
  std::vector<Shown> shown;
  for (size_t r = 0; r < seen.cells.rows.size(); ++r) {
    if (!seen.paths[r].crosses(s.component))
      continue;
    const Shown one = shown_by(seen, r, bins);
    s.seen += one.records;
    s.lost_cycles += one.waited;
    if (one.records > 0)
      shown.push_back(one);
  }
  std::ranges::stable_sort(shown, std::ranges::greater{}, &Shown::above);
  s.end = std::min(s.end, run_cycles);
  s.score = score_of(s.strength);
  const auto slow = std::ranges::count_if(shown, [](const Shown& x) {
    return x.above > kVisible;
  });
  s.evidence.push_back(
      {std::to_string(slow) + " of " + std::to_string(shown.size()) +
           " transfer patterns through it were slower than expected in its interval",
       double(slow) / double(std::max<size_t>(shown.size(), 1)),
       "share",
       "sketch, time bins"});
  for (size_t i = 0; i < std::min(shown.size(), kRoutesShown); ++i) {
    s.patterns.push_back(seen.cells.rows[shown[i].row].pattern);
    s.cores.push_back(seen.cells.rows[shown[i].row].core);
  }
  if (!shown.empty())
    s.evidence.push_back(
        {"latency of its slowest pattern against what it should be",
         std::exp2(shown[0].above),
         "x",
         "sketch, time bins"});
  s.evidence.push_back(
      {"log-likelihood ratio of this component slow against a healthy chip",
       s.strength,
       "",
       "scan over components, factors and intervals"});
}

}  // namespace lento::chip

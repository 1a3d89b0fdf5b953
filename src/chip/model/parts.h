// Computes the likelihood ratio of "this part was slow in this interval" against "no part was slow".
//
// scan_parts() evaluates every part and interval to first order: score and information of a column with all
// nuisances projected out (Frisch, Waugh, Lovell). Where that is larger, it takes the likelihood ratio at a
// grid of factors with the nuisances kept at their fit without a slow part. test_part() maximises over the
// factor of one part and refits all nuisances. The part's share s of a duration then grows as 1 + s (factor -
// 1).
#pragma once

#include <array>
#include <vector>

#include "chip/detect/path.h"
#include "chip/model/likelihood.h"

namespace lento::chip {

inline constexpr double kMostLogFactor = 5;  // natural log of the largest factor of a part that still works

struct PartTest {
  Component component;
  // Begin and end as shares of the run.
  double begin = 0;
  double end = 1;
  double gain = 0;  // twice the log likelihood ratio
  Effect effect;
  double factor() const {
    return std::exp(effect.log_factor);
  }
};

// A part that may be slow, and its effect on each cell.
//
// Cells that the part serves grow with its factor. Other cells wait for those in queues, where first-order
// sensitivities are wrong at large factors. They are left out when the part is tested.
struct PartCells {
  struct Cell {
    uint32_t cell = 0;
    float share = 0;  // of the duration; for waiting cells the first-order sensitivity
  };
  Component component;
  std::vector<uint32_t> columns;  // of InfluenceColumns, in ascending order
  std::vector<Cell> served;
  std::vector<Cell> reached;
};
std::vector<PartCells> part_cells(const Dictionary& dictionary, const spec::Chip& chip);

// Returns for each part the interval with the largest gain, largest gain first. Intervals end at 24ths of the
// run. Parts without gain are left out.
std::vector<PartTest>
scan_parts(const Likelihood& model, const Solution& none, const std::vector<PartCells>& parts);

// Tests one part in one interval. `inside` is by cell the share of the expected cycles of its records that
// lie in the interval. `begin`, `end` and `component` of the result are not set.
PartTest test_part(
    const Likelihood& model,
    const Solution& none,
    const PartCells& part,
    const std::vector<float>& inside);

// Returns by part its first-order slowness over the whole run. The deviation is infinite without records.
std::vector<Effect>
whole_run_effects(const Likelihood& model, const Solution& none, const std::vector<PartCells>& parts);

// The limits that a slow part must exceed to be suspicious, and the noise that may hide it.
struct DetectionLimits {
  double threshold = 0;            // of the gain
  double least = 1;                // factor
  std::array<double, 4> spread{};  // largest spread of each class in 95 % of healthy draws
  // Root mean square over healthy parts of the log factor over its standard deviation, by kind of part, at
  // least 1. It exceeds 1 where records of a queue wait together.
  std::array<double, 5> scatter{};
};
// Returns for each part the factor that, lasting for the whole run, exceeds the limits in 95 % of runs.
// Infinite when the records of the part cannot show any factor. Student's t bounds what few records can gain,
// and nuisances take their share.
std::vector<double> detectable_factors(
    const Likelihood& model,
    const Solution& none,
    const std::vector<PartCells>& parts,
    const DetectionLimits& limits);

}  // namespace lento::chip

// Fits the factors of slow parts by simulating them. First-order sensitivities are far off once the queue of
// a slow part is full.
//
// A part that was slow for a stretch is fitted with its begin and end (interval_search.h). Of one that was
// slow for the whole run, one number is compared, its level: the mean of log(duration / expectation) over the
// middle half of the records that it serves. The level grows with the factor, whatever the queues do. The
// factor is the one whose simulated runs have the level of the judged run. Its 90 % interval follows from how
// much the level varies between simulated runs, and how much it changes with the factor. Where a recording
// was cut, the simulated runs are cut at the same instant. Source: Gourieroux, Monfort, Renault 1993
// (indirect inference).
#pragma once

#include <span>
#include <vector>

#include "chip/model/clocks.h"
#include "chip/model/likelihood.h"
#include "chip/model/parts.h"

namespace lento::chip {

// A slow part with the interval and factor of its simulation.
struct SlowPart {
  Component part;
  double log_factor = 0;
  // Cycles of the chip file's clock. kForever lasts to the end of the run.
  uint64_t begin = 0;
  uint64_t end = 0;
};
inline constexpr uint64_t kForever = UINT64_MAX;
Fault played_fault(const SlowPart& slow, const Grid& grid);

struct FactorFit {
  std::vector<SlowPart> parts;
  // Standard deviation of each log factor. Empty after a fit by levels without FactorAim::Measure.
  // kMostLogFactor means that the records do not determine the factor.
  std::vector<double> deviation;
  Solution solution;  // the nuisances fitted together with the factors
  int simulated = 0;  // runs
};

// The run that simulated runs are compared with. All referenced objects must outlive it.
struct ObservedRun {
  LearnSetup setup;  // with the cycle at which the recording was cut
  const Likelihood& likelihood;
  const spec::Chip& chip;  // the file's chip with the settings that fit the run
  const std::vector<PartCells>& parts;
  std::span<const ProbeRecord> records;  // in the recorder's clock
  const ClockMap& clock;
  uint64_t grain = 1;
};

enum class FactorAim : uint8_t {
  Guess,    // by levels, with the given intervals
  Fit,      // with intervals fitted, too
  Measure,  // with standard deviations, by further simulations
};
// Fits the factors of `parts`, which are slow together. Precondition: at least one part.
FactorFit fit_factors(const ObservedRun& run, std::vector<SlowPart> parts, FactorAim aim);

}  // namespace lento::chip

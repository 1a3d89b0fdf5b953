// Fits the factors of slow parts by simulating them. First-order sensitivities are far off once the queue of
// a slow part is full.
//
// One number is compared, the level of a part: the mean of log(duration / expectation) over the middle half
// of the records that it serves while it is slow. It grows with the factor, whatever the queues do. The
// factor is the one whose simulated runs have the level of the judged run. Its interval follows from how much
// the level varies between simulated runs, and how much it changes with the factor. Where a recording was
// cut, the simulated runs are cut at the same instant. Begin and end of a part that was slow for a stretch
// come from its own records (own_records.h). Source: Gourieroux, Monfort, Renault 1993 (indirect inference).
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
  // Standard deviation of each log factor, only when they were measured. kMostLogFactor means that the
  // records do not determine the factor.
  std::vector<double> deviation;
  Solution solution;  // the nuisances fitted together with the likeliest factors that were simulated
  double log_likelihood_at_start = 0;  // with the factors that were given
  int simulated = 0;                   // runs
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

// Fits the factors of `parts`, which are slow together, and with `measured` their standard deviations, by
// further simulations. Precondition: at least one part.
FactorFit fit_factors(const ObservedRun& run, std::vector<SlowPart> parts, bool measured);

}  // namespace lento::chip

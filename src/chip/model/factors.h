// Fits the factors of slow parts by simulating them. First-order sensitivities are far off once the queue of
// a slow part is full.
//
// Each round simulates all suspects together, and again with each suspect slightly slower, begun later and
// ended later. The differences are the columns of a weighted least-squares step, with all nuisances
// projected out (Gauss, Newton).
#pragma once

#include <vector>

#include "chip/model/likelihood.h"

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
  std::vector<double> deviation;  // standard deviation of each log factor
  Solution solution;              // the nuisances fitted together with the factors
  int simulated = 0;
};

// Fits the factors of `parts`. `chip` is the file's chip with the settings that fit the run. With
// `measured`, the standard deviations come from further simulations, else from first-order sensitivities.
// Precondition: at least one part.
FactorFit fit_factors(
    const LearnSetup& setup,
    const Likelihood& likelihood,
    const spec::Chip& chip,
    std::vector<SlowPart> parts,
    bool measured = false);

}  // namespace lento::chip

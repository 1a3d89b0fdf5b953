// Factors of slow parts, fitted by simulating them: what the first order says of a part is wrong by far once
// its queue is full.
//
// Each round simulates all suspects, and each once more a little slower, begun later and ended later. The
// differences are the columns of a weighted least squares with all nuisances taken out (Gauss, Newton).
#pragma once

#include <vector>

#include "chip/model/likelihood.h"

namespace lento::chip {

// A part as it is simulated.
struct SlowPart {
  Component part;
  double log_factor = 0;
  // cycles of the file's clock; kForever: to the end of the run
  uint64_t begin = 0;
  uint64_t end = 0;
};
inline constexpr uint64_t kForever = UINT64_MAX;
Fault played_fault(const SlowPart& slow, const Grid& grid);

struct FactorFit {
  std::vector<SlowPart> parts;
  std::vector<double> deviation;  // of each log factor
  Solution solution;              // of the nuisances beside them
  int simulated = 0;
};

// `chip`: the file's, with the settings that the run fits. `measured`: with deviations of further simulated
// runs, else by the first order. Precondition: at least one part.
FactorFit fit_factors(
    const LearnSetup& setup,
    const Likelihood& likelihood,
    const spec::Chip& chip,
    std::vector<SlowPart> parts,
    bool measured = false);

}  // namespace lento::chip

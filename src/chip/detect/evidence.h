// Collects the evidence about a suspect for a reader: transfers that were slower than expected, the waiting
// that it caused, and components that the records cannot distinguish from it.
#pragma once

#include <string>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"
#include "chip/detect/scan.h"

namespace lento::chip {

// Returns the score, 0 to 1, of a suspect with this log-likelihood ratio: 1 - exp(-strength /
// kScoreStrength).
double score_of(double strength);

// Formats a factor with three significant digits, because no estimate is more exact.
std::string format_factor(double factor);

// Sets evidence, patterns, lost cycles, score and indistinguishable components of a suspect, and limits its
// end to `run_cycles`. `components` lists those that any recorded transfer passes.
void add_evidence(
    Suspect& suspect,
    const ScanInput& seen,
    const std::vector<Component>& components,
    const spec::Chip& chip,
    uint64_t run_cycles);

}  // namespace lento::chip

// Collects the evidence about a suspect for a reader: transfers that show it, their waiting, and other
// components that would look alike.
#pragma once

#include <string>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"
#include "chip/detect/scan.h"

namespace lento::chip {

// Maps a strength to a score from 0 to 1.
double score_of(double strength);

// Formats a factor with three digits, the most to which any is estimated.
std::string format_factor(double factor);

// Fills in evidence, patterns, lost time and alike components. `run_cycles` limits its end. `components`:
// those that the records cover.
void add_evidence(
    Suspect& suspect,
    const ScanInput& seen,
    const std::vector<Component>& components,
    const spec::Chip& chip,
    uint64_t run_cycles);

}  // namespace lento::chip

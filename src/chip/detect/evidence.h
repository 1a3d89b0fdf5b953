// What a reader is told about a suspect: which transfers show it, how much they waited, and what else it may
// be.
#pragma once

#include <string>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"
#include "chip/detect/scan.h"

namespace lento::chip {

// 0..1: how sure a strength makes.
double score_of(double strength);

// As it is printed: nothing that is found here is known to more than three digits.
std::string format_factor(double factor);

// Fills in evidence, patterns, time lost and what is alike; `run_cycles` cuts its end. `components`: those
// that the records tell of.
void add_evidence(
    Suspect& suspect,
    const ScanInput& seen,
    const std::vector<Component>& components,
    const spec::Chip& chip,
    uint64_t run_cycles);

}  // namespace lento::chip

// Finds slow cores from the durations of their own operations: once an operation has started, no other part
// of the chip can delay it.
#pragma once

#include <string>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

// Returns the slow cores, those with the highest log-likelihood ratio first. Each core is compared with its
// rate on the fitted chip (options.own). Without a fit it is compared with the rate in the chip file,
// corrected by the median excess over cores where most cores are slower than the file states.
std::vector<Suspect> slow_cores(
    const Sketch& sketch,
    const spec::Chip& chip,
    const DetectOptions& options,
    std::vector<std::string>& notes);

}  // namespace lento::chip

// Finds cores that computed slowly, from their own service times. Once an operation has started, nothing
// elsewhere on the chip can delay it.
#pragma once

#include <string>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

// Returns the slow cores, the strongest first. The reference is the rate of a fitted chip with each core's
// own deviation (options.own), otherwise the file's rate, corrected by the rate of most cores, in which long
// operations have more weight.
std::vector<Suspect> slow_cores(
    const Sketch& sketch,
    const spec::Chip& chip,
    const DetectOptions& options,
    std::vector<std::string>& notes);

}  // namespace lento::chip

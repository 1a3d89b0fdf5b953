// Cores that computed slowly, from their own service times: nothing that happens elsewhere on the chip can
// make an operation, once started, take longer.
#pragma once

#include <string>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

// Judged against the rate of a chip that was fitted, with each core's own deviation; of one that was not,
// against the file's, corrected by what most cores do, long operations counting for more than short ones.
std::vector<Suspect> slow_cores(
    const Sketch& sketch,
    const spec::Chip& chip,
    const DetectOptions& options,
    std::vector<std::string>& notes);

}  // namespace lento::chip

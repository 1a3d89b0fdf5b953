// Cores that computed slowly, from their own service times: nothing that happens elsewhere on the chip can
// make an operation, once started, take longer.
#pragma once

#include <string>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

// Judged against the nominal rate, corrected by what most cores do (a rate that the chip file has wrong is no
// fault of one core) and by equal-work peers: cores with entries of the same layer.
std::vector<Suspect> slow_cores(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options,
                                std::vector<std::string>& notes);

}  // namespace lento::chip

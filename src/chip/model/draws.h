// Healthy runs that are unlike their file in every way that is nobody's fault: what thresholds come from.
#pragma once

#include "chip/model/dictionary.h"

namespace lento::chip {

// A chip with classes, settings and parts a little other than its file, recorded by another clock, a coarse
// timer or a recorder that loses records. The same seed gives the same draw.
std::vector<ProbeRecord> healthy_draw(const LearnSetup& setup, uint64_t seed);

}  // namespace lento::chip

// How well simulated runs tell the whole course of a recorded one: not only how fast its patterns are, but
// when they wait.
#pragma once

#include <vector>

#include "chip/detect/cells.h"
#include "chip/sketch/sketch.h"
#include "spec/chip.h"

namespace lento::chip {

// Minus the log-likelihood of the recorded time bins, by fours, beside the mean and the scatter of the draws
// (Student t: a fault counts by its logarithm), for each of them; smaller is better. 0 when nothing was
// recorded. Precondition: two draws at least.
double course_misfit(
    const Cells& recorded,
    const std::vector<Sketch>& draws,
    const spec::Chip& chip,
    const Grid& grid);

}  // namespace lento::chip

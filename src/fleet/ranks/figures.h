// Draws the figures of an analysis.
#pragma once

#include "finding/finding.h"
#include "fleet/ranks/analyse.h"

namespace lento::fleet::ranks {

// Adds a timeline of `lane_steps` steps on one clock with a lane for each rank, the lag by rank and
// communicator, the excess by step, the links between hosts, the predicted gain, and the clocks.
void add_figures(const Analysis& a, int lane_steps, finding::Diagnosis& d);

}  // namespace lento::fleet::ranks

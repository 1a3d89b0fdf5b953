// Draws the figures of an analysis.
#pragma once

#include "finding/finding.h"
#include "fleet/ranks/analyse.h"

namespace lento::fleet::ranks {

// Adds lanes of `lane_steps` steps on one clock, lag by rank and communicator, excess by step, links between
// hosts, bars of the predicted gain, and the clocks.
void add_figures(const Analysis& a, int lane_steps, finding::Diagnosis& d);

}  // namespace lento::fleet::ranks

// Bounds and estimates the share of inputs that are dropped because they come while main runs.
//
// A counter or a stored arrival time in the scratchpad can limit how often main takes its longest time
// (LongRuns in verify.h). The bound holds for the worst order of long and short runs within that limit. The
// estimate spaces long runs evenly and lets up to `queue` inputs wait.
#pragma once

#include <cstdint>

#include "tile/unit/verify/verify.h"

namespace lento::tile {

// Returns an upper bound of the share of inputs, 0 to 1, that are dropped over many runs when at least
// `arrival` cycles lie between two inputs and none can wait in a queue. In a short time the drops can exceed
// that share, by at most drop_burst() inputs.
double most_dropped(const RegionReport& main, uint64_t arrival);
double drop_burst(const RegionReport& main, uint64_t arrival);

// Returns the share of inputs, 0 to 1, that are dropped in a simulation with one input every `arrival` cycles
// and a queue of `queue` inputs.
double expected_dropped(const RegionReport& main, uint64_t arrival, uint32_t queue);

}  // namespace lento::tile

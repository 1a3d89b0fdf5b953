// Inputs that are lost because they come while main runs: what is proved for any inputs, and what to expect.
//
// Main takes its longest time only now and then when a counter or a period of time in the scratchpad
// triggers it (amortised cycles, verify.h). Proved is the largest share under that budget. Expected is the
// share when the long runs come evenly, with `queue` inputs that may wait.
#pragma once

#include <cstdint>

#include "tile/unit/verify/verify.h"

namespace lento::tile {

// Returns the largest share of inputs that is lost without a queue when they come at most every `arrival`
// cycles, over many runs. drop_burst() returns how many more may be lost once.
double most_dropped(const RegionReport& main, uint64_t arrival);
double drop_burst(const RegionReport& main, uint64_t arrival);

// Returns the share of inputs that come every `arrival` cycles and are lost.
double expected_dropped(const RegionReport& main, uint64_t arrival, uint32_t queue);

}  // namespace lento::tile

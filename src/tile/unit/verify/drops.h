// Inputs that are lost because they come while main runs, with hist.in or with a queue of waiting inputs.
#pragma once

#include <cstdint>

#include "tile/unit/verify/verify.h"

namespace lento::tile {

// Bounds the share of lost inputs when hist.in takes further ones: a stretch of n other cycles loses
// floor(n / arrival) inputs. The last stretch also loses the one that waits when main returns.
double most_dropped_of_stream(const RegionReport& main, uint64_t arrival);

// Returns the share of inputs that come every `arrival` cycles and are lost when the long runs come evenly
// and `queue` inputs may wait.
double expected_dropped(const RegionReport& main, uint64_t arrival, uint32_t queue);

}  // namespace lento::tile

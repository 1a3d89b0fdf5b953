// The share of inputs that are lost because they come while main runs, for a main with hist.in and for a
// queue in which inputs wait.
#pragma once

#include <cstdint>

#include "tile/unit/verify/verify.h"

namespace lento::tile {

// Returns a bound of the share of inputs, 0 to 1, that are lost by a main with hist.in when one comes every
// `arrival` tile cycles. In each run, at most floor(busy_cycles / arrival) are lost outside hist.in, and one
// more that waits when main returns. At least streamed_least are taken, counted as 1 when it is 0.
double most_dropped_of_stream(const RegionReport& main, uint64_t arrival);

// Returns the expected share of inputs, 0 to 1, that are lost when one comes every `arrival` tile cycles,
// `queue` of them may wait while main runs, and long runs (LongRuns) are spread evenly. For a main with
// hist.in it is most_dropped_of_stream(), whatever the queue. It is 0 when `arrival` is at least
// main.lossless_period, and 1 when no period is.
double expected_dropped(const RegionReport& main, uint64_t arrival, uint32_t queue);

}  // namespace lento::tile

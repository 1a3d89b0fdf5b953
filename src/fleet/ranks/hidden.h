// Detects a barrier at the end of every step that the records lack, and inserts it. NCCL's Inspector drops
// operations under 8 KiB, which hides barriers and the exchange of a norm or a loss. Without the barrier,
// waiting for others would count as own time.
#pragma once

#include <vector>

#include "fleet/ranks/clocks.h"
#include "fleet/ranks/job.h"
#include "fleet/ranks/own_time.h"

namespace lento::fleet::ranks {

inline constexpr const char* kHiddenKey = "(not recorded)";

// Returns whether in nearly all steps that the ranks end far apart no rank begins the next step before the
// last one has ended. False when the clocks are not aligned.
bool has_hidden_barrier(const Job& job, const Clocks& clocks, double step_ns);

// Returns the traces with a barrier inserted at the end of each step. On each rank it lasts from the end of
// the rank's own step to the end of the last rank's step.
std::vector<RankTrace> with_hidden_barrier(const Job& job, const Clocks& clocks);

}  // namespace lento::fleet::ranks

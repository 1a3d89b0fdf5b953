// Detects and inserts a barrier at the end of every step that the records leave out. The Inspector drops
// operations under 8 KiB, which hides barriers and the exchange of a norm or a loss. Without it, waiting for
// others would count as own time.
#pragma once

#include <vector>

#include "fleet/ranks/clocks.h"
#include "fleet/ranks/job.h"
#include "fleet/ranks/own_time.h"

namespace lento::fleet::ranks {

inline constexpr const char* kHiddenKey = "(not recorded)";

// Returns whether no rank begins a step before every rank has ended the one before, though they end it far
// apart.
bool has_hidden_barrier(const Job& job, const Clocks& clocks, double step_ns);

// Returns the traces with that barrier inserted. It begins when a rank ends its step and ends when the last
// one does.
std::vector<RankTrace> with_hidden_barrier(const Job& job, const Clocks& clocks);

}  // namespace lento::fleet::ranks

// The units of a kernel before and after each fix of its accesses, for bottleneck.h.
#pragma once

#include <string>
#include <vector>

#include "memory/gpu/bottleneck.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {

// Returns the units without bank conflicts, or nothing when the profile has neither a share of the pipe or of
// the first cache nor cycles.
std::vector<BusyUnit> without_conflicts(const KernelMemory& k);
// Returns the units with coalesced global accesses, or nothing without shares of caches or memory.
// `k.global.served` must be above 0.
std::vector<BusyUnit> when_coalesced(const KernelMemory& k);
// Returns the units with equal loads of slices or channels. `imbalance` is the largest load over the mean.
std::vector<BusyUnit> when_even(const KernelMemory& k, bool is_slices, double imbalance);

// Returns whether the profile states the busy shares of caches, memory and instruction issue.
bool has_all_shares(const BusyShares& busy);
// Returns the options of ncu that record the counters which would narrow the bounds of the speed-up. Returns
// "" when the profile has all of them or is of an AMD device.
std::string missing_counters(const KernelMemory& k, bool is_coalescing);

}  // namespace lento::memory

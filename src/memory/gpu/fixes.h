// The units of a kernel before and after each fix of its accesses, for bottleneck.h.
#pragma once

#include <string>
#include <vector>

#include "memory/gpu/bottleneck.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {

// Bank conflicts are gone. Empty when the profile has no share of the pipe and no cycles.
std::vector<BusyUnit> without_conflicts(const KernelMemory& k);
// Global accesses are coalesced. Needs `global.served` above 0. Empty without shares of caches or memory.
std::vector<BusyUnit> when_coalesced(const KernelMemory& k);
// Slices or channels have even loads. `imbalance` is the fullest one's load by the mean.
std::vector<BusyUnit> when_even(const KernelMemory& k, bool is_slices, double imbalance);

// Returns whether the profile states the shares of caches, memory and instructions.
bool has_all_shares(const BusyShares& busy);
// Names options of ncu that make the interval narrower, "" when all is there.
std::string missing_counters(const KernelMemory& k, bool is_coalescing);

}  // namespace lento::memory

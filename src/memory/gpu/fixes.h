// Computes for each fix of a kernel's memory accesses how busy its units are before and after, for the
// bounds in bottleneck.h.
#pragma once

#include <string>
#include <vector>

#include "memory/gpu/bottleneck.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {

// Returns how busy the units are now and with all bank conflicts removed. Empty when the profile has no
// cycles and no busy share of the pipe to shared memory or of the first cache.
std::vector<BusyUnit> without_conflicts(const KernelMemory& k);
// Returns how busy the units are now and with all accesses to global memory coalesced. Empty when the
// profile has no busy shares of caches or memory. `k.global.served` must be above 0.
std::vector<BusyUnit> when_coalesced(const KernelMemory& k);
// Returns how busy the units are now and with equal loads of all cache slices (`is_slices`) or memory
// channels. `imbalance` is the largest load over the mean.
std::vector<BusyUnit> when_even(const KernelMemory& k, bool is_slices, double imbalance);

// Returns whether the profile states the busy shares of caches, memory and instruction issue.
bool has_all_shares(const BusyShares& busy);
// Returns the options of ncu that record the counters which would narrow the bounds of the speed-up. Returns
// "" when the profile has all of them or is of an AMD device.
std::string missing_counters(const KernelMemory& k, bool is_coalescing);

}  // namespace lento::memory

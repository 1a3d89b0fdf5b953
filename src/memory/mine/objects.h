// Sums lines by the object that holds them: one variable, all heap blocks of one allocation site, or a
// region without a name. Each of the 512 lines of an array may lose too few cycles for a finding, and the
// array as a whole enough.
#pragma once

#include <string>
#include <vector>

#include "memory/mine/contention_names.h"

namespace lento::memory {

struct Object {
  std::string name;  // "" for a region without one
  uint16_t process = 0;
  // Range of the bytes that lost cycles.
  uint64_t low = 0;
  uint64_t high = 0;
  Cause cause = Cause::None;
  uint64_t cycles = 0;  // lost to that cause
  uint64_t accesses = 0;
  uint64_t high_accesses = 0;
  uint64_t slow_accesses = 0;
  uint64_t peers = 0;
  uint64_t remote_peers = 0;
  double conflicts = 0;
  double overlapping = 0;
  uint64_t atomics = 0;
  CpuSet cpus;
  std::vector<const Line*> lines;  // costliest first; empty in block_objects
  // Only set by block_objects. makers: the most CPUs that missed one block, at most 64.
  uint64_t misses = 0;
  uint64_t jumps = 0;
  uint64_t fetched_lines = 0;
  uint64_t makers = 0;
  // Both in bytes. A stride of 0 means that the misses have none.
  uint64_t stride = 0;
  uint64_t residue = 0;

  double overlap() const {
    if (conflicts > 0)
      return overlapping / conflicts;
    return 0;
  }
};

// Sums lines with a sharing cause by object and cause, costliest first. The lines must outlive the result.
std::vector<Object> shared_objects(const std::vector<Line>& lines, const ContentionNames& names);

// Sums the losses of kind `loss` by variable, costliest first. Blocks in `taken` (sorted) are left out.
std::vector<Object>
block_objects(const Scan& scan, Loss loss, const ContentionNames& names, const std::vector<BlockKey>& taken);

}  // namespace lento::memory

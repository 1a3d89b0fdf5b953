// Describes what a GPU kernel, or one source line of it, takes from shared memory, from the caches and from
// their channels. The readers below fill it from counters and from accesses, and judge.h draws conclusions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_report.h"

namespace lento::memory {

// Requests that a unit served, and those that the same data needs in the best layout. Both 0: not measured.
struct Requests {
  double served = 0;
  double ideal = 0;
  double excess() const {
    return served > ideal ? served - ideal : 0;
  }
  double degree() const {
    return ideal > 0 ? served / ideal : 1;
  }
};

// Load of the units over which addresses are interleaved: slices of the second cache, channels of the memory.
struct Channels {
  double most = 0;
  double mean = 0;
  size_t count = 0;  // 0: not known
  double imbalance() const {
    return mean > 0 ? most / mean : 1;
  }
};

// Shares of the time in which units are busy, 1 at their peak. Below 0: not measured.
struct BusyShares {
  double shared_pipe = -1;  // of each multiprocessor's pipe to shared memory and first cache
  double l1 = -1;           // the busiest part of the first cache, that pipe among them
  double issue = -1;        // the busiest of issue slots and pipes of arithmetic
  double l2 = -1;
  double fullest_slice = -1;  // the lookups of the slice of the second cache that has most
  double mean_slice = -1;
  double memory = -1;   // HBM
  double fullest = -1;  // the busiest of all units that serve memory
  double waiting = 0;   // share of the launch in which no multiprocessor has work
  double cycles = 0;    // in which multiprocessors have work, summed over them. 0: not measured
  bool any() const {
    return std::max({shared_pipe, l1, issue, l2, memory, fullest}) >= 0 || cycles > 0;
  }
};

struct KernelMemory {
  std::string kernel;
  std::string line;  // "file:12", an instruction, or "" for the whole kernel
  uint64_t launches = 0;
  bool is_amd = false;
  Requests shared;  // wavefronts of shared memory (LDS): one when no two words lie in one bank
  Requests global;  // sectors of 32 bytes, or on AMD accesses of a quarter line
  Channels slices;  // of the second cache
  Channels memory;  // HBM
  BusyShares busy;
  double l2_sectors = 0;   // that reached the second cache. 0: not measured
  double l2_requests = 0;  // each for up to four sectors of a line
  double l1_misses = -1;   // share of the sectors that the first cache does not serve
  double memory_bytes = 0;
  double nanoseconds = 0;
  double instructions = 0;    // of warps, of this place. 0: not measured
  double conflict_time = -1;  // share of the time in conflicts, where the profiler states it
  bool has_rules = false;     // the section with rules of excess is there: no rule, no excess
  double used = 1;     // least share of their sectors that loads or stores use, where sectors are not counted
  std::string layout;  // a change of the layout that was tried on the accesses, "": none
  double relaid = 0;   // requests in that layout
  bool ambiguous = false;  // sectors by request are known, the width of the loads is not
};

// Recognises pages of Nsight Compute (printed, or --csv: raw, details and source pages, --metrics) and tables
// of rocprof (pmc columns) and rocprofv3 (counter_collection).
bool is_gpu_counters(std::string_view head);
// Recognises text with one memory instruction of one warp per line, its lanes' addresses last.
bool is_gpu_accesses(std::string_view head);

// Read a whole text. Rows that do not fit are skipped and counted. Launches of a kernel are summed.
std::vector<KernelMemory>
read_gpu_counters(std::string_view text, const std::string& path, base::ReadReport& report);
std::vector<KernelMemory>
read_gpu_accesses(std::string_view text, const std::string& path, base::ReadReport& report);

}  // namespace lento::memory

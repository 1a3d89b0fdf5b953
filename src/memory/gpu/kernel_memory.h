// Describes what a GPU kernel, or one source line of it, takes from shared memory, from the caches and from
// their channels. The readers below fill it from counters and from accesses, and judge.h draws conclusions.
#pragma once

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

// Load of the units that addresses are dealt to: slices of the second cache, channels of the memory.
struct Channels {
  double most = 0;
  double mean = 0;
  size_t count = 0;  // 0: not known
  double imbalance() const {
    return mean > 0 ? most / mean : 1;
  }
};

struct KernelMemory {
  std::string kernel;
  std::string line;  // "file:12", an instruction, or "" for the whole kernel
  uint64_t launches = 0;
  bool is_amd = false;
  Requests shared;    // wavefronts of shared memory (LDS): one when no two words lie in one bank
  Requests global;    // sectors of 32 bytes, or on AMD accesses of a quarter line
  Channels slices;    // of the second cache
  Channels memory;    // HBM
  double cycles = 0;  // of all multiprocessors together, 0: not known
  double nanoseconds = 0;
  // Shares of the time, or of the peak, that the profiler states itself. Below 0: not known.
  double conflict_time = -1;
  double memory_busy = -1;
  std::string layout;      // a change of the layout that was tried on the accesses, "": none
  double relaid = 0;       // requests that it leaves
  bool ambiguous = false;  // sectors by request are known, the width of the loads is not
};

// Recognises tables of Nsight Compute (--csv: raw, details and source pages, --metrics) and of rocprof (pmc
// columns) and rocprofv3 (counter_collection).
bool is_gpu_counters(std::string_view head);
// Recognises text with one memory instruction of one warp a line, its lanes' addresses last.
bool is_gpu_accesses(std::string_view head);

// Read a whole text. Rows that do not fit are skipped and counted. Launches of a kernel are summed.
std::vector<KernelMemory>
read_gpu_counters(std::string_view text, const std::string& path, base::ReadReport& report);
std::vector<KernelMemory>
read_gpu_accesses(std::string_view text, const std::string& path, base::ReadReport& report);

}  // namespace lento::memory

// Turns losses into findings, each cycle in one finding at most.
//
//   1. lines that several threads contend for, summed by object: false sharing, true sharing, lock
//   2. memory of another node
//   3. banks and sets: misses or waits on one residue of a power of two
//   4. translations of pages, and caches that are too small
//   5. queues in front of memory and of the interconnect
//
// A finding must cost the share `least_loss` of the working time. Where the trace does not record who delayed
// an access, sharing must also pass Fisher's exact test.
#pragma once

#include <vector>

#include "finding/finding.h"
#include "memory/mine/objects.h"

namespace lento::memory {

struct Causes {
  std::vector<finding::Finding> findings;  // costliest first
  uint64_t found_cycles = 0;               // cycles lost in the findings
  uint64_t contended_left = 0;             // cycles of Scan::excess that are in no finding
  uint64_t handed_on = 0;  // of contended_left, on data that threads hand over without contention
  std::vector<std::string> notes;
  std::vector<FoundObject> objects;
};

// The results of the passes over the records.
struct PassResults {
  const Scan& scan;
  const WindowScan& windows;
  const std::vector<Line>& lines;
};

// Finds the causes. `time` is the summed time of the CPUs that work, in the unit of the latencies.
Causes find_causes(
    const PassResults& passes,
    const ContentionNames& names,
    const ContentionOptions& options,
    double time);

}  // namespace lento::memory

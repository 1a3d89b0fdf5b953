// Turns losses into findings, each cycle in one finding at most.
//
//   1. lines that several threads fight over, summed by object: false sharing, true sharing, lock
//   2. memory of another node
//   3. banks and sets: misses or waits on one residue of a power of two
//   4. translations of pages, and caches that are too small
//   5. queues in front of memory and of the interconnect
//
// A finding needs `least_loss` of the working time, and where shares can be tested, Fisher's exact test.
#pragma once

#include <vector>

#include "finding/finding.h"
#include "memory/mine/objects.h"

namespace lento::memory {

struct Causes {
  std::vector<finding::Finding> findings;  // costliest first
  uint64_t found_cycles = 0;               // in them
  uint64_t contended_left = 0;             // of Scan::excess, in none of them
  uint64_t handed_on = 0;  // of contended_left, on lines that went from one thread to another once or twice
  std::vector<std::string> notes;
  std::vector<FoundObject> objects;
};

// The results of the passes over the records.
struct PassResults {
  const Scan& scan;
  const WindowScan& windows;
  const std::vector<Line>& lines;
};

// Finds the causes. `time` is the working time in the unit of latencies.
Causes find_causes(
    const PassResults& passes,
    const ContentionNames& names,
    const ContentionOptions& options,
    double time);

}  // namespace lento::memory

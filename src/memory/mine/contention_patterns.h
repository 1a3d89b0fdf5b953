// Patterns of contention windows: closed sets of functions, latency bins and hot lines, ranked by the cycles
// they explain and tested against control windows.
#pragma once

#include <string>
#include <vector>

#include "memory/mine/contention_scan.h"

namespace lento::memory {

struct Pattern {
  std::vector<uint32_t> items;
  // Numbers of windows and of control windows that hold it.
  uint64_t support = 0;
  uint64_t control = 0;
  double share = 0;        // support / windows
  double lift = 0;         // against control windows of the same time (base_rate.h)
  double p = 1;            // of the exact test, times the number of patterns tested
  uint64_t excess = 0;     // cycles lost in the supporting windows
  uint64_t explained = 0;  // of these, cycles that its functions cost one another (where known)
  CpuSet cpus;             // CPUs in the supporting windows
  std::vector<WindowFacts::Range> ranges;  // PC range of each function, from the supporting windows only
};

// Returns the probability that at least `hits` of `windows` are marked when `hits + other_hits` marks fall at
// random on `windows + others`: the upper tail of the hypergeometric distribution (Fisher's exact test).
double fisher_tail(uint64_t hits, uint64_t windows, uint64_t other_hits, uint64_t others);

// Returns at most `most` patterns, best first. The support starts at options.support and is raised while
// there are too many sets. `used_support` receives the final one.
std::vector<Pattern> find_patterns(
    const WindowScan& scan,
    const Scan& trace,
    const ContentionOptions& options,
    size_t most,
    double& used_support);

}  // namespace lento::memory

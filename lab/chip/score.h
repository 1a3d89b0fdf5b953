// Scores a verdict: the strict rule for one run, and the overlap in time.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/detect/path.h"

namespace lento::chip {

// A slow component and its time, reported by a detector or injected.
struct Claim {
  Component component;
  uint64_t begin = 0;
  uint64_t end = 0;                   // cycles, exclusive
  std::vector<Component> alike = {};  // what it may be instead, itself included
};

// A fault counts for a workload when at least one operation, transfer or segment started inside it in a
// run without noise (simulate's fault_hits). Those under `kFewHits` are listed apart.
inline constexpr uint64_t kFewHits = 10;

// Strict: exactly one report for each injected fault, each the right component.
bool strictly_right(const std::vector<Claim>& truth, const std::vector<Claim>& reported);

// Returns the intersection over the union of two intervals. The true one is clipped to [0, run_cycles) first.
double overlap(const Claim& truth, const Claim& claim, uint64_t run_cycles);

}  // namespace lento::chip

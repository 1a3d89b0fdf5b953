// How right a verdict is: the touching rule, the paper's counting and the strict one, overlap in time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stats.h"
#include "chip/detect/path.h"

namespace lento::chip {

// What a component did slowly, as told by a detector or as injected.
struct Claim {
  Component component;
  uint64_t begin = 0;
  uint64_t end = 0;  // cycles, exclusive
};

// A fault counts for a workload when at least `least` operations, transfers or segments started inside it in
// a run without noise (simulate's fault_hits). Those under `kFewHits` are listed apart.
inline constexpr uint64_t kFewHits = 10;
bool touches(const std::vector<uint64_t>& fault_hits, uint64_t least = 1);

// Strict: exactly one report for each injected fault, each the right component.
bool strictly_right(const std::vector<Claim>& truth, const std::vector<Claim>& reported);

// Whether the first true component is among the first k of a ranking.
bool among_first(const std::vector<Claim>& truth, const std::vector<Claim>& ranked, size_t k);

// Intersection over union of two stretches; the truth is clipped to [0, run_cycles) first.
double overlap(const Claim& truth, const Claim& claim, uint64_t run_cycles);

// The paper's counting (specs: TN fixed at the number of clean runs whatever they show; every spurious report
// is one more false positive).
struct PaperCount {
  base::Confusion counts;
  void add(const std::vector<Claim>& truth, const std::vector<Claim>& reported);
  void fix_negatives(uint64_t clean_runs) { counts.true_negative = clean_runs; }
};

}  // namespace lento::chip

// Counts the results of many runs in two ways: by the paper's rule, and strictly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "evidence/share.h"
#include "lab/chip/result.h"
#include "lab/chip/score.h"

namespace lento::chip {

// Counts of right answers among the cases whose component was found, in total and by kind of component.
struct Rightness {
  uint64_t cases = 0;
  uint64_t right = 0;
  uint64_t cores = 0;
  uint64_t cores_right = 0;
  uint64_t links = 0;
  uint64_t links_right = 0;
};

// Cases that touch at least kFewHits events are counted strictly.
struct Tally : Rightness {
  evidence::Confusion paper;  // true negatives fixed at the number of clean runs
  uint64_t others = 0;
  uint64_t others_right = 0;
  // touching, but fewer events
  uint64_t few = 0;
  uint64_t few_right = 0;
  // of `cases`
  uint64_t first = 0;
  uint64_t first_three = 0;
  uint64_t named = 0;
  uint64_t reports = 0;
  uint64_t spurious = 0;
  uint64_t missed = 0;
  // of `cases`, of `cores`: overlap at least 0.7
  uint64_t in_time = 0;
  uint64_t cores_in_time = 0;
  uint64_t whole_in_time = 0;  // of `cases`, had the answer been the whole run
  // altered structures included
  uint64_t clean = 0;
  uint64_t alarms = 0;
  uint64_t altered = 0;
  uint64_t altered_alarms = 0;
  // cases without any event inside a fault, and cases with a component that is not on this chip
  uint64_t untouched = 0;
  uint64_t elsewhere = 0;
  double precision() const;
  double recall() const;
  double f1() const;
  void add(const RunResult& result);
};

// Keyed by workload and variant. Only results of the training split are counted when `training`, and only the
// others else. `pooled` counts all workloads together under the name "all".
using Tallies = std::map<std::pair<std::string, std::string>, Tally>;
Tallies tally(const std::vector<RunResult>& results, bool training = false, bool pooled = false);

// Returns whether the first true component is first in the ranking.
bool named_first(const RunResult& result);
// Returns whether a result counts: a case on this chip with enough events inside its faults, of the split
// that is counted.
bool counts(const RunResult& result, bool training);
// True when the only faulty results are of the training split.
bool only_training(const std::vector<RunResult>& results);

}  // namespace lento::chip

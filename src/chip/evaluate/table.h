// Results of an evaluation, one a run, and what follows from them: the paper's counting beside the strict
// one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/stats.h"
#include "finding/finding.h"

namespace lento::chip {

// One run of one method. Components by name; a case without truth is a clean run.
struct RunResult {
  std::string workload, method, name;  // of the case
  uint64_t seed = 1;
  bool training = false;
  bool applicable = true;  // all components of the case are on the chip
  uint64_t hits = 0;       // fewest events that start inside a fault of the case, noise off
  std::vector<std::string> truth, reported, ranked;
  double overlap = 0;  // in time, of the first true component; 0: not named
};

base::Json to_json(const RunResult& result);
RunResult run_result_from_json(const base::Json& json, const base::Location& where);

struct Tally {
  base::Confusion paper;          // true negatives fixed at the number of clean runs
  uint64_t cases = 0, right = 0;  // touching at least kFewHits events: strict
  uint64_t cores = 0, cores_right = 0, links = 0, links_right = 0, others = 0, others_right = 0;
  uint64_t few = 0, few_right = 0;      // touching, but fewer events
  uint64_t first = 0, first_three = 0;  // of `cases`
  uint64_t named = 0, reports = 0, spurious = 0, missed = 0;
  uint64_t in_time = 0;  // of `cases`: overlap at least 0.7
  uint64_t clean = 0, alarms = 0;
  uint64_t untouched = 0, elsewhere = 0;  // cases that touch nothing; not on this chip
  double precision() const;
  double recall() const;
  double f1() const;
  void add(const RunResult& result);
};

// By (workload, method); the training split is left out unless `training`.
std::map<std::pair<std::string, std::string>, Tally> tally(const std::vector<RunResult>& results,
                                                           bool training = false);

// Tables with 95 % Wilson intervals, one row a workload and method, and the mean over workloads.
finding::Diagnosis summarize(const std::vector<RunResult>& results, const std::string& title);

}  // namespace lento::chip

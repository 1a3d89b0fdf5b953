// Judges simulated jobs of ranks with one planted fault, and healthy ones, by fleet/ranks. Counts how often
// kind and place are right and how often a healthy job has a finding, and measures clocks and costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "fleet/simulate/rank_job.h"

namespace lento::fleet {

struct RankCase {
  uint64_t index = 0;
  RankJob job;
  bool inspector = false;  // judged as the Inspector's log holds it, otherwise as a Kineto trace
};

struct RankCaseOptions {
  uint64_t seed = 1;
  bool healthy = false;
  int most_ranks = 1024;
};
RankCase rank_case(const RankCaseOptions& options, uint64_t index);

struct RankResult {
  RankCase which;
  RankTruth truth;
  bool right = false;       // the costliest finding has the true kind and place
  bool right_kind = false;  // link or not link
  int findings = 0;
  int wrong = 0;              // findings that are not the fault
  std::string said;           // "slow GPU rank5"
  int onset_error = 0;        // steps
  double what_if_error = 0;   // predicted step without the fault over the true one, less 1
  double saving_error = 0;    // of the time saved
  double clock_error_ms = 0;  // the worst of all events
  int drifts = 0;
  int drifts_held = 0;
  bool aligned = false;
  double seconds = 0;  // of the inference
};

RankResult judge_rank_case(const RankCase& which);

std::string rank_result_header();
std::string rank_result_line(const RankResult& result);

// The measured runs of eight processes in `folder`/kineto and `folder`/inspector against their truth, as CSV.
std::string measure_gloo8(const std::string& folder);

}  // namespace lento::fleet

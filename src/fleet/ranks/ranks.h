// Which rank, GPU, host or link of a training job is slow, from the collectives that its ranks recorded; and
// which ranks hold up a job that hangs (docs/methods/collectives.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/ranks/read/collective_record.h"
#include "fleet/ranks/read/inspector_prom.h"

namespace lento::fleet {

struct RanksOptions {
  std::map<std::string, std::string>
      switch_of;  // host -> its switch, for blaming a switch instead of its hosts
  bool figures = true;
  int lane_steps = 2;  // training steps drawn as lanes
};

// Outcome Findings, Healthy, or CannotJudge with what to switch on. Findings name the rank or the host first,
// then what the data cannot tell apart from it.
finding::Diagnosis diagnose_ranks(
    const std::vector<fleet::ranks::RankTrace>& traces,
    const RanksOptions& options,
    const base::Progress& progress = {});

// From dumps of the flight recorder and answers of NCCL's monitor, the latter in order of time.
finding::Diagnosis diagnose_hang(
    const std::vector<fleet::ranks::HangDump>& dumps,
    const std::vector<fleet::ranks::RasAnswer>& answers);

// From the Inspector's pages for Prometheus: suspects, or CannotJudge. Means say neither ranks nor costs nor
// times.
finding::Diagnosis diagnose_means(const std::vector<fleet::ranks::InspectorMean>& means);

}  // namespace lento::fleet

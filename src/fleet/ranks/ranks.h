// Diagnoses the slow rank, GPU, host or link of a training job from the collectives that its ranks recorded,
// and the ranks that hold up a job that hangs (docs/methods/collectives.md).
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
      switch_of;  // host -> its switch, to report a switch instead of its hosts
  bool figures = true;
  int lane_steps = 2;  // training steps drawn as lanes
};

// Returns outcome Findings, Healthy, or CannotJudge with the recording to switch on. Findings name the rank
// or the host first, then the alternatives that the data cannot distinguish from it.
finding::Diagnosis diagnose_ranks(
    const std::vector<fleet::ranks::RankTrace>& traces,
    const RanksOptions& options,
    const base::Progress& progress = {});

// Diagnoses a hang from dumps of the flight recorder and answers of NCCL's monitor, the latter in order of
// time.
finding::Diagnosis diagnose_hang(
    const std::vector<fleet::ranks::HangDump>& dumps,
    const std::vector<fleet::ranks::RasAnswer>& answers);

// Diagnoses from the Inspector's pages for Prometheus: suspects, or CannotJudge. Means hold neither ranks nor
// costs nor times.
finding::Diagnosis diagnose_means(const std::vector<fleet::ranks::InspectorMean>& means);

}  // namespace lento::fleet

// The result of the whole inference as one plain value, before conclude.cc describes it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "fleet/ranks/clocks.h"
#include "fleet/ranks/job.h"
#include "fleet/ranks/own_time.h"
#include "fleet/ranks/transfers.h"

namespace lento::fleet::ranks {

enum class FaultKind {
  SlowGpu,
  SlowHost,
  SlowInput,
  SlowLink
};
const char* name(FaultKind kind);  // "slow GPU"

struct Culprit {
  FaultKind kind = FaultKind::SlowGpu;
  int rank = -1;           // of a GPU, or of a single process
  int host = -1;           // of a host, or where the rank is
  std::vector<int> ranks;  // that are late by it
  int part = -1;           // of a link: into Analysis::parts
  Stretch stretch;         // excess a step, ns; of links the logarithm of the factor
  double factor = 1;       // own time or transfer over what it should be
  double excess_ns = 0;    // own time a step too much, mean over its ranks; of links transfer a step too much
  double lost_ns = 0;      // a step of its stretch, from the replay
  double significance = 0;
};

struct Analysis {
  std::vector<RankTrace> completed;  // the traces with a barrier that they left out; else empty
  Job job;
  std::vector<double> transfer_ns;
  OwnTime own;
  OwnVerdict late;
  TransferVerdict channels;
  std::vector<SlowPart> parts;
  Clocks clocks;
  std::vector<double> step_ns;  // by step, as recorded
  double typical_step_ns = 0;
  std::vector<Culprit> culprits;  // the costliest first
  double lost_together_ns = 0;    // a step, mean over all of them, all culprits gone
  double replayed_step_ns = 0;    // by the unchanged replay
  std::vector<std::string> switches;
};

// Returns "rank5", "host2", or the part of the network.
std::string subject(const Analysis& a, const Culprit& c);

struct AnalyseOptions {
  std::map<std::string, std::string> switch_of;  // host -> switch
  bool what_if = true;
};

// Analyses a job. `traces` must outlive the result.
Analysis analyse(
    const std::vector<RankTrace>& traces,
    const AnalyseOptions& options,
    const base::Progress& progress = {});

// A rank whose kernels are the shortest in every communicator, found from durations alone.
struct DurationSuspect {
  int rank = -1;
  int host = -1;          // all ranks of the host when >= 0 and rank < 0
  double lag_ns = 0;      // of its communicators' other members, mean an instance
  double last_share = 0;  // of its instances in which it was the last
  double excess = 0;      // lag over the median duration of its instances
};
// Channels whose transfer is slow are left out, because their durations do not show which rank came last.
std::vector<DurationSuspect> suspects_by_duration(const Job& job, const TransferVerdict& channels);

}  // namespace lento::fleet::ranks

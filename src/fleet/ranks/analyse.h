// Finds the culprits of a slow job. The result is a plain value that conclude.cc turns into a diagnosis.
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
  int rank = -1;           // the slow rank; -1: a whole host or a link
  int host = -1;           // the slow host, or the host of the slow rank
  std::vector<int> ranks;  // ranks that it makes late; none for a link
  int part = -1;           // for a link: index into Analysis::parts
  Stretch stretch;         // steps in which it is slow; excess in ns, for a link log of the factor
  double factor = 1;       // own time or transfer time over its value without the fault
  double excess_ns = 0;    // excess a step: own time, mean over its ranks; for a link transfer time
  double lost_ns = 0;      // what each step of its stretch would save without it, by the replay
  double significance = 0;
};

struct Analysis {
  std::vector<RankTrace> completed;  // the traces with an inserted barrier; empty: none was missing
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
  double lost_together_ns = 0;    // what a step would save without all culprits, mean over all steps
  double replayed_step_ns = 0;    // mean step of the unchanged replay
  std::vector<std::string> switches;
};

// Returns the name of a culprit: "rank5", "host2", or the part of the network.
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
  double lag_ns = 0;      // how much longer the other members' kernels run, mean over its collectives
  double last_share = 0;  // share of its collectives in which it arrived last
  double excess = 0;      // lag over the median duration of its instances
};
// Returns the ranks and hosts that arrive last, by durations alone. Channels whose transfer is slow are left
// out, because their durations do not show which rank came last.
std::vector<DurationSuspect> suspects_by_duration(const Job& job, const TransferVerdict& channels);

}  // namespace lento::fleet::ranks

// Draws the fault of a simulated job and finds the places that no record can distinguish from it. Two places
// are equivalent for a network fault when the same groups and pairs of ranks communicate through them.
#include "fleet/simulate/rank_fault.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/rng.h"

namespace lento::fleet {
namespace {

const std::pair<RankFaultKind, const char*> kNames[] = {
    {RankFaultKind::None, "none"},
    {RankFaultKind::SlowGpu, "slow_gpu"},
    {RankFaultKind::SlowHost, "slow_host"},
    {RankFaultKind::SlowInput, "slow_input"},
    {RankFaultKind::SlowNic, "slow_nic"},
    {RankFaultKind::SlowRail, "slow_rail"},
    {RankFaultKind::SlowLink, "slow_link"},
    {RankFaultKind::Imbalance, "imbalance"},
    {RankFaultKind::Hang, "hang"}};

// Returns the requested place, else the drawn one.
int placed(const RankJob& job, int drawn, int places) {
  if (job.place >= 0)
    return job.place % places;
  return drawn;
}

// Finds, for network faults, all hosts and ranks through which the same groups and pairs of ranks
// communicate.
void find_same_places(const RankJob& job, const RankProgram& program, RankTruth& t) {
  const bool inside = t.fault == RankFaultKind::SlowLink;
  const bool rail = t.fault == RankFaultKind::SlowRail;
  const bool nic = t.fault == RankFaultKind::SlowNic;
  if (!nic && !rail && !inside)
    return;
  const int of_rank = nic ? -1 : t.rank;
  const auto mine = program.channels(t.host, of_rank, inside);
  std::set<std::pair<int, int>> all;
  for (int h = 0; h < job.hosts(); ++h) {
    const auto other = program.channels(h, -1, inside);
    all.insert(other.begin(), other.end());
    if (other == mine)
      t.same_hosts.push_back(h);
  }
  for (int r = 0; r < job.ranks(); ++r) {
    const auto other = program.channels(program.host_of(r), r, inside);
    if (other == mine)
      t.same_ranks.push_back(r);
  }
  t.whole_network = all == mine;
}

}  // namespace

void draw_rank_fault(const RankJob& job, const RankProgram& program, RankTruth& t) {
  base::Rng rng(job.seed, "ranks.fault");
  const auto rank = int(rng.below(job.ranks()));
  const auto host = int(rng.below(job.hosts()));
  const bool at_start = rng.below(2) == 0;
  const int later = job.steps / 5 + int(rng.below(std::max(1, job.steps / 3)));
  t.fault = job.fault;
  t.factor = job.factor;
  t.from_step = at_start ? 0 : later;
  if (job.from_step >= 0)
    t.from_step = job.from_step;
  switch (job.fault) {
    case RankFaultKind::None:
    case RankFaultKind::Imbalance:
      return;
    case RankFaultKind::SlowHost:
    case RankFaultKind::SlowNic:
      t.host = placed(job, host, job.hosts());
      break;
    default:
      t.rank = placed(job, rank, job.ranks());
      t.host = program.host_of(t.rank);
  }
  if (job.fault == RankFaultKind::Hang && t.from_step == 0)
    t.from_step = job.steps / 2;
  find_same_places(job, program, t);
}

const char* name(RankFaultKind kind) {
  for (const auto& [k, text] : kNames) {
    if (k == kind)
      return text;
  }
  return "";
}

RankFaultKind rank_fault_kind(const std::string& text) {
  std::vector<std::string> known;
  for (const auto& [kind, name] : kNames) {
    if (text == name)
      return kind;
    known.push_back(name);
  }
  throw base::Error({}, "fault '" + text + "' is not known", base::suggestion(text, known));
}

}  // namespace lento::fleet

// Infers barriers that the records leave out: there is one when in nearly all steps that ranks end clearly
// apart no rank begins the next step before the last one has ended this one. It is inserted into copies of
// the traces, with times that every rank's own clock can express.
#include "fleet/ranks/hidden.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

// The change of one rank from one step to the next, in ns on the common clock unless noted.
struct Turn {
  int64_t ended = 0;
  int64_t begins = 0;
  int64_t local_begins = 0;  // on the rank's own clock
  int32_t last = -1;
};

// Returns for each rank and step the time from the end of the last collective of the step before to the begin
// of the first collective of the step.
std::vector<std::vector<Turn>> turns(const Job& job, const Clocks& clocks) {
  std::vector<std::vector<Turn>> out;
  for (const JobRank& r : job.ranks) {
    std::vector<Turn>& mine = out.emplace_back(job.steps);
    int64_t ended = INT64_MIN;
    int32_t last = -1;
    for (size_t i = 0; i < r.step.size(); ++i) {
      const CollectiveRecord& record = r.trace->records[i];
      const int32_t step = r.step[i];
      if (i > 0 && step >= 0 && r.step[i - 1] == step - 1 && record.begin_ns >= ended)
        mine[step] = {
            clocks.corrected(r.host, ended),
            clocks.corrected(r.host, record.begin_ns),
            record.begin_ns,
            last};
      if (record.end_ns > ended) {
        ended = record.end_ns;
        last = int32_t(i);
      }
    }
  }
  return out;
}

// Returns the largest error, in ns, between corrected times of two hosts: at least a millisecond, more when
// the estimated offset and drift are uncertain by more at the start of the recording.
int64_t clock_error(const Job& job, const Clocks& clocks) {
  double half_span = 0;
  for (const JobRank& r : job.ranks) {
    if (r.trace->records.empty())
      continue;
    half_span = std::max(half_span, double(clocks.reference_ns - r.trace->records.front().begin_ns));
  }
  double most = 1e6;
  for (const HostClock& c : clocks.hosts)
    most = std::max(most, 2 * c.offset_error_ns + (c.drift95.high - c.drift95.low) / 2 * half_span);
  return int64_t(most);
}

// The change of all ranks from one step to the next, in ns on the common clock.
struct Border {
  int64_t last = INT64_MIN;    // time at which the last rank ends the former step
  int64_t first = INT64_MAX;   // time at which the first rank ends the former step
  int64_t begins = INT64_MAX;  // time at which the first rank begins the new step
};

// Returns when all ranks change to `step`, or nullopt when it is not known of every rank.
std::optional<Border> border_before(const std::vector<std::vector<Turn>>& turns, int step) {
  Border b;
  for (const std::vector<Turn>& mine : turns) {
    if (mine[step].last < 0)
      return std::nullopt;
    b.last = std::max(b.last, mine[step].ended);
    b.first = std::min(b.first, mine[step].ended);
    b.begins = std::min(b.begins, mine[step].begins);
  }
  return b;
}

}  // namespace

bool has_hidden_barrier(const Job& job, const Clocks& clocks, double step_ns) {
  if (!clocks.aligned() || job.ranks.size() < 3 || job.steps < 5)
    return false;
  const auto tolerance = double(clock_error(job, clocks));
  // A barrier is visible only in steps that the ranks end at clearly different times.
  const double least_spread = std::max(2.0 * tolerance, tuning::kLeastBarrierSpread * step_ns);
  const std::vector<std::vector<Turn>> all = turns(job, clocks);
  int looked = 0;
  int waited = 0;
  for (int s = 1; s < job.steps; ++s) {
    const auto border = border_before(all, s);
    if (!border)
      continue;
    const auto spread = double(border->last - border->first);
    if (spread < least_spread)
      continue;
    ++looked;
    // At both ends of an hour the clocks err by more than estimated, so a share of the spread is allowed.
    // Without a barrier the first rank to end begins at once, a whole spread before the last.
    const double allowed = std::max(tolerance, tuning::kBarrierShare * spread);
    waited += double(border->last - border->begins) <= allowed;
  }
  return looked >= 5 && waited * 20 >= looked * 19;
}

std::vector<RankTrace> with_hidden_barrier(const Job& job, const Clocks& clocks) {
  const std::vector<std::vector<Turn>> all = turns(job, clocks);
  std::vector<RankTrace> out;
  for (size_t r = 0; r < job.ranks.size(); ++r) {
    RankTrace t = *job.ranks[r].trace;
    // The step numbers found so far are stored in the records, because a new search for steps would also
    // count the barriers and might divide the records differently.
    for (size_t i = 0; i < t.records.size(); ++i)
      t.records[i].step = job.ranks[r].step[i];
    Communicator c;
    c.key = kHiddenKey;
    c.name = "barrier that was not recorded";
    c.size = int(job.ranks.size());
    c.own = int(r);
    t.communicators.push_back(std::move(c));
    for (int s = 1; s < job.steps; ++s) {
      const auto border = border_before(all, s);
      if (!border)
        continue;
      const Turn& mine = all[r][s];
      CollectiveRecord barrier;
      barrier.begin_ns = t.records[mine.last].end_ns;
      // The wait is measured on the common clock and added to the rank's own clock, which drifts. It must
      // not reach into the rank's next step, where it would count as still going on.
      const int64_t waited = std::max<int64_t>(0, std::min(border->last, mine.begins) - mine.ended);
      barrier.end_ns = std::min(barrier.begin_ns + waited, mine.local_begins);
      barrier.bytes = 8;
      barrier.sequence = s;
      barrier.step = t.records[mine.last].step;
      barrier.op = fleet::ranks::CollectiveOp::Barrier;
      barrier.communicator = int32_t(t.communicators.size()) - 1;
      t.records.push_back(barrier);
    }
    std::ranges::stable_sort(t.records, [](const CollectiveRecord& a, const CollectiveRecord& b) {
      return a.begin_ns < b.begin_ns;
    });
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace lento::fleet::ranks

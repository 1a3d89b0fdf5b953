// Replays a job with changed own times or transfers. Ranks advance as far as their collectives allow, in any
// order, because every time follows from earlier ones. A rank that waits is resumed when the last member of
// its collective arrives. Cost: linear in the records.
#include "fleet/ranks/replay.h"

#include <algorithm>
#include <cmath>

#include "evidence/sample.h"

namespace lento::fleet::ranks {

struct Replay::State {
  const Change& change;
  // Times by rank, by record, NaN until they are computed.
  std::vector<std::vector<double>> begin;
  std::vector<std::vector<double>> end;
  std::vector<int32_t> next;      // by rank: the first record without a begin
  std::vector<uint32_t> arrived;  // by instance
  std::vector<int> ready;         // ranks whose next record may be computed
};

Replay::Replay(const Job& job, const OwnTime& own, const Clocks& clocks)
    : job_(job),
      own_(own) {
  for (const JobRank& r : job.ranks)
    instance_of_.emplace_back(r.trace->records.size(), -1);
  transfer_ns_.resize(job.instances.size());
  std::vector<uint64_t> early(job.channels.size(), 0);
  for (size_t i = 0; i < job.instances.size(); ++i) {
    const Instance& instance = job.instances[i];
    double least = INFINITY;
    for (const Member& m : job.of(instance)) {
      instance_of_[m.rank][m.record] = int32_t(i);
      const CollectiveRecord& r = job.record(m);
      least = std::min(least, double(r.end_ns - r.begin_ns));
    }
    transfer_ns_[i] = least;
    const Channel& c = job.channels[instance.channel];
    if (c.from < 0)
      continue;
    const Member& first = job.of(instance)[0];
    const bool sends = first.rank == c.from;
    const CollectiveRecord& send = job.record(job.of(instance)[sends ? 0 : 1]);
    const CollectiveRecord& recv = job.record(job.of(instance)[sends ? 1 : 0]);
    const int64_t gap = clocks.corrected(job.ranks[c.to].host, recv.begin_ns) -
                        clocks.corrected(job.ranks[c.from].host, send.end_ns);
    early[instance.channel] += gap > 1000000;
  }
  for (size_t c = 0; c < job.channels.size(); ++c)
    eager_.push_back(early[c] * 5 > job.channels[c].instances);
  for (const JobRank& r : job.ranks) {
    const bool any = !r.trace->records.empty();
    start_ns_.push_back(
        any ? double(clocks.corrected(r.host, r.trace->records[0].begin_ns) - clocks.reference_ns) : 0);
  }
}

// Lets a rank arrive at its next record if the end that it waits for is computed. Returns false when it must
// wait.
bool Replay::advance(State& s, int rank) const {
  const int32_t i = s.next[rank];
  const auto& records = job_.ranks[rank].trace->records;
  if (i >= int32_t(records.size()))
    return false;
  const int32_t after = own_.after[rank][i];
  double base = start_ns_[rank];
  if (after >= 0)
    base = s.end[rank][after];
  if (after <= -2)
    base = s.begin[rank][-2 - after];
  if (std::isnan(base))
    return false;
  double own = own_.before_ns[rank][i];
  if (after == -1)
    own = double(records[i].begin_ns - records[0].begin_ns);
  if (s.change.own)
    own = s.change.own(rank, i, own);
  s.begin[rank][i] = base + own;
  ++s.next[rank];
  const int32_t instance = instance_of_[rank][i];
  if (instance < 0) {
    s.end[rank][i] = s.begin[rank][i] + double(records[i].end_ns - records[i].begin_ns);
    return true;
  }
  const Instance& group = job_.instances[instance];
  const Channel& c = job_.channels[group.channel];
  if (eager_[group.channel] && rank == c.from)
    s.end[rank][i] = s.begin[rank][i] + double(records[i].end_ns - records[i].begin_ns);
  if (++s.arrived[instance] == group.count)
    resolve(s, instance);
  return true;
}

// Starts a collective when all members have arrived, and sets their ends.
void Replay::resolve(State& s, size_t instance) const {
  const std::span<const Member> members = job_.of(job_.instances[instance]);
  double start = -INFINITY;
  for (const Member& m : members)
    start = std::max(start, s.begin[m.rank][m.record]);
  double transfer = transfer_ns_[instance];
  if (s.change.transfer)
    transfer = s.change.transfer(instance, transfer);
  for (const Member& m : members) {
    if (std::isnan(s.end[m.rank][m.record]))
      s.end[m.rank][m.record] = start + transfer;
    s.ready.push_back(m.rank);
  }
}

std::vector<double> Replay::steps(const Change& change) const {
  State s{
      change,
      {},
      {},
      std::vector<int32_t>(job_.ranks.size(), 0),
      std::vector<uint32_t>(job_.instances.size(), 0),
      {}};
  for (size_t r = 0; r < job_.ranks.size(); ++r) {
    s.begin.emplace_back(job_.ranks[r].trace->records.size(), NAN);
    s.end.emplace_back(job_.ranks[r].trace->records.size(), NAN);
    s.ready.push_back(int(r));
  }
  while (!s.ready.empty()) {
    const int rank = s.ready.back();
    s.ready.pop_back();
    while (advance(s, rank)) {
    }
  }
  // Times of different ranks are comparable here. A step ends when the median rank has ended its last
  // collective.
  std::vector<std::vector<double>> ends(job_.steps);
  for (size_t r = 0; r < job_.ranks.size(); ++r) {
    std::vector<double> last(job_.steps, NAN);
    for (size_t i = 0; i < s.end[r].size(); ++i) {
      const int32_t step = job_.ranks[r].step[i];
      if (step >= 0)
        last[step] = std::fmax(last[step], s.end[r][i]);
    }
    for (int step = 0; step < job_.steps; ++step) {
      if (!std::isnan(last[step]))
        ends[step].push_back(last[step]);
    }
  }
  std::vector<double> lengths(job_.steps, NAN);
  double before = NAN;
  for (int step = 0; step < job_.steps; ++step) {
    const double end = ends[step].empty() ? NAN : evidence::median(std::move(ends[step]));
    lengths[step] = end - before;
    before = end;
  }
  return lengths;
}

double mean_between(const std::vector<double>& series, int begin, int end) {
  double sum = 0;
  int count = 0;
  for (int i = std::max(begin, 0); i < std::min(end, int(series.size())); ++i) {
    if (std::isnan(series[i]))
      continue;
    sum += series[i];
    ++count;
  }
  return count == 0 ? NAN : sum / count;
}

}  // namespace lento::fleet::ranks

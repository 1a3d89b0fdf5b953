// Finds suspects from durations alone. The last rank to arrive has the shortest kernel, because it waits for
// no other. A slow rank arrives last in all its communicators. A rank that a slow partner delays arrives last
// in other communicators, but not in the one that both share. The ranks of a slow host all arrive last in
// communicators with other hosts, and in turn in those within the host.
#include <algorithm>
#include <cmath>
#include <map>

#include "fleet/ranks/analyse.h"

namespace lento::fleet::ranks {
namespace {

struct Count {
  uint64_t last = 0;
  uint64_t all = 0;
  double expected = 0;
};

struct Tally {
  std::map<int, Count> by_channel;
  double lag_ns = 0;
  uint64_t instances = 0;
};

constexpr uint64_t kLeastInstances = 20;  // channels with fewer collectives are ignored
constexpr double kLeastLead = 0.1;        // a rank's share of last arrivals, beyond 1 / members
constexpr double kLeastSure = 8;          // standard deviations of last arrivals beyond chance

// Counts in how many collectives of each channel (one communicator, operation and size) a rank arrived last,
// and sums how long the others waited for it.
std::vector<Tally> tally(const Job& job, const TransferVerdict& channels) {
  std::vector<Tally> ranks(job.ranks.size());
  for (const Instance& i : job.instances) {
    const Channel& c = job.channels[i.channel];
    if (!i.complete || c.from >= 0 || !is_symmetric(c.op) || channels.channels[i.channel].slow)
      continue;
    double least = INFINITY;
    double sum = 0;
    int last = -1;
    for (const Member& m : job.of(i)) {
      const CollectiveRecord& r = job.record(m);
      const auto duration = double(r.end_ns - r.begin_ns);
      sum += duration;
      if (duration >= least)
        continue;
      least = duration;
      last = m.rank;
    }
    for (const Member& m : job.of(i)) {
      Count& count = ranks[m.rank].by_channel[i.channel];
      ++count.all;
      count.expected = 1.0 / i.count;
      count.last += m.rank == last;
      ++ranks[m.rank].instances;
      if (m.rank == last)
        ranks[m.rank].lag_ns += (sum - least) / (i.count - 1) - least;
    }
  }
  return ranks;
}

// Returns whether a rank arrives last too often in each of its channels (one communicator, operation and
// size), or in each that crosses hosts. `sure` receives by how many standard deviations its last arrivals
// exceed chance, `share` the share of its collectives in which it is last.
bool leads(const Job& job, const Tally& t, bool crossing_only, double& sure, double& share) {
  double over = 0;
  double variance = 0;
  uint64_t last = 0;
  uint64_t all = 0;
  for (const auto& [channel, count] : t.by_channel) {
    if (crossing_only && job.channels[channel].hosts.size() < 2)
      continue;
    if (count.all < kLeastInstances)
      continue;
    const double part = double(count.last) / double(count.all);
    if (part < count.expected + kLeastLead)
      return false;
    over += double(count.last) - count.expected * double(count.all);
    variance += count.expected * (1 - count.expected) * double(count.all);
    last += count.last;
    all += count.all;
  }
  if (variance <= 0)
    return false;
  sure = over / std::sqrt(variance);
  share = double(last) / double(all);
  return sure >= kLeastSure;
}

}  // namespace

std::vector<DurationSuspect> suspects_by_duration(const Job& job, const TransferVerdict& channels) {
  const std::vector<Tally> ranks = tally(job, channels);
  std::vector<DurationSuspect> out;
  const auto suspect = [&](int rank, int host, double share) {
    DurationSuspect s;
    s.rank = rank;
    s.host = host;
    s.last_share = share;
    double lag = 0;
    uint64_t instances = 0;
    for (const int r : rank >= 0 ? std::vector<int>{rank} : job.hosts[host].ranks) {
      lag += ranks[r].lag_ns;
      instances += ranks[r].instances;
    }
    s.lag_ns = instances > 0 ? lag / double(instances) : 0;
    out.push_back(s);
  };
  std::vector<bool> named(job.hosts.size(), false);
  for (size_t r = 0; r < ranks.size(); ++r) {
    double sure = 0;
    double share = 0;
    if (!leads(job, ranks[r], false, sure, share))
      continue;
    // When all collectives of a rank are of one channel, a slow rank looks the same as one that waits for a
    // partner in other communicators.
    if (ranks[r].by_channel.size() < 2)
      continue;
    named[job.ranks[r].host] = true;
    suspect(int(r), job.ranks[r].host, share);
  }
  for (size_t h = 0; h < job.hosts.size(); ++h) {
    if (named[h] || job.hosts[h].ranks.size() < 2)
      continue;
    bool all = true;
    double share = 1;
    for (const int r : job.hosts[h].ranks) {
      double sure = 0;
      double mine = 0;
      all = all && leads(job, ranks[r], true, sure, mine);
      share = std::min(share, mine);
    }
    if (all)
      suspect(-1, int(h), share);
  }
  return out;
}

}  // namespace lento::fleet::ranks

// Computes each rank's own time between collectives and finds the ranks whose own time exceeds that of their
// peers. Peers are ranks with the same sequence of operations. The level is the lower median of the hosts'
// lower medians, which stays healthy when half of the hosts are slow, whose ranks may be more than half of
// those with records. An excess must be large, lasting, and beyond both the noise
// of steps and the lasting differences of healthy peers.
#include "fleet/ranks/own_time.h"

#include <algorithm>
#include <cmath>

#include "evidence/sample.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

// Sums the time of the compute kernels of a rank up to any moment.
class ComputeClock {
 public:
  explicit ComputeClock(const std::vector<TimeSpan>& spans)
      : spans_(spans) {
    sums_.push_back(0);
    for (const TimeSpan& s : spans)
      sums_.push_back(sums_.back() + double(s.end_ns - s.begin_ns));
  }
  // Returns the computing time before the moment `at`, in nanoseconds.
  double before(int64_t at) const {
    const auto next = std::upper_bound(spans_.begin(), spans_.end(), at, [](int64_t t, const TimeSpan& s) {
      return t < s.begin_ns;
    });
    const size_t index = next - spans_.begin();
    if (index == 0)
      return 0;
    const TimeSpan& last = spans_[index - 1];
    return sums_[index - 1] + double(std::min(at, last.end_ns) - last.begin_ns);
  }

 private:
  const std::vector<TimeSpan>& spans_;
  std::vector<double> sums_;
};

// Computes the own time before each record: the time since the latest end among the records that ended before
// it began.
void split(const RankTrace& t, std::vector<double>& before, std::vector<int32_t>& after) {
  before.assign(t.records.size(), 0);
  after.assign(t.records.size(), -1);
  std::vector<int32_t> running;
  int32_t latest = -1;
  for (size_t i = 0; i < t.records.size(); ++i) {
    const CollectiveRecord& r = t.records[i];
    std::erase_if(running, [&](int32_t j) {
      if (t.records[j].end_ns > r.begin_ns)
        return false;
      if (latest < 0 || t.records[j].end_ns > t.records[latest].end_ns)
        latest = j;
      return true;
    });
    after[i] = latest;
    if (latest >= 0)
      before[i] = double(r.begin_ns - t.records[latest].end_ns);
    // When several collectives begin without an end between them, each counts only from the begin of the
    // former, so that no time counts twice.
    if (i > 0 && latest >= 0) {
      const CollectiveRecord& former = t.records[i - 1];
      const int64_t since = std::max(t.records[latest].end_ns, former.begin_ns);
      before[i] = double(r.begin_ns - since);
      if (former.begin_ns > t.records[latest].end_ns)
        after[i] = -2 - int32_t(i - 1);
    }
    running.push_back(int32_t(i));
  }
}

// Sums a rank's time outside collectives by step.
void sum_steps(const Job& job, size_t rank, OwnTime& own) {
  const JobRank& r = job.ranks[rank];
  const RankTrace& t = *r.trace;
  const ComputeClock compute(t.compute);
  std::vector<int32_t> counts(job.steps, 0);
  for (const int32_t step : r.step) {
    if (step >= 0)
      ++counts[step];
  }
  const std::vector<double> unknown(job.steps, NAN);
  std::vector<double>& total = own.own_ns[rank] = unknown;
  std::vector<double>& first = own.first_ns[rank] = unknown;
  std::vector<double>& computing = own.compute_ns[rank] = unknown;
  std::vector<double>& waiting = own.waiting_ns[rank] = unknown;
  for (size_t i = 0; i < t.records.size(); ++i) {
    const int32_t step = r.step[i];
    if (step < 0 || counts[step] != r.typical || own.after[rank][i] == -1)
      continue;
    const double mine = own.before_ns[rank][i];
    if (std::isnan(total[step])) {
      total[step] = 0;
      first[step] = mine;
      computing[step] = 0;
      waiting[step] = 0;
    }
    total[step] += mine;
    waiting[step] += double(t.records[i].end_ns - t.records[i].begin_ns);
    if (!t.computes)
      continue;
    const int64_t begin = t.records[i].begin_ns;
    computing[step] += compute.before(begin) - compute.before(begin - int64_t(mine));
  }
}

// The values of ranks, each with its host.
using HostValues = std::vector<std::pair<int, double>>;

// Returns the lower of the two middle values of the hosts, each of which has the lower of its own two. It is
// a healthy one even with two slow hosts of four, or two slow ranks of four on one host.
double lower_median(HostValues& values) {
  std::ranges::sort(values);
  std::vector<double> hosts;
  for (auto begin = values.begin(); begin != values.end();) {
    const auto end = std::find_if(begin, values.end(), [&](const auto& v) {
      return v.first != begin->first;
    });
    hosts.push_back((begin + (end - begin - 1) / 2)->second);
    begin = end;
  }
  return hosts.empty() ? NAN : evidence::lower_median_reordering(std::span(hosts));
}

// Returns the mean of the values that are not NaN.
double mean_of(const std::vector<double>& series) {
  double sum = 0;
  int count = 0;
  for (const double v : series) {
    if (std::isnan(v))
      continue;
    sum += v;
    ++count;
  }
  return count == 0 ? NAN : sum / count;
}

// Returns how far one part of a rank's own time exceeds the lower median of its peers', mean over a stretch.
double part_excess(
    const Job& job,
    const std::vector<std::vector<double>>& part,
    const std::vector<int>& peers,
    int rank,
    const Stretch& s) {
  double sum = 0;
  int count = 0;
  HostValues values;
  for (int step = s.begin; step < s.end; ++step) {
    values.clear();
    for (const int p : peers) {
      if (!std::isnan(part[p][step]))
        values.emplace_back(job.ranks[p].host, part[p][step]);
    }
    if (values.size() < 2 || std::isnan(part[rank][step]))
      continue;
    sum += part[rank][step] - lower_median(values);
    ++count;
  }
  return count == 0 ? NAN : sum / count;
}

struct Judge {
  const Job& job;
  const OwnTime& own;
  double step_ns;
  OwnVerdict& out;

  // Compares ranks with the same work step by step.
  void group(const std::vector<int>& peers) {
    std::vector<double> levels;
    HostValues values;
    for (int s = 0; s < job.steps; ++s) {
      values.clear();
      for (const int r : peers) {
        if (!std::isnan(own.own_ns[r][s]))
          values.emplace_back(job.ranks[r].host, own.own_ns[r][s]);
      }
      if (values.size() < 2)
        continue;
      const double middle = lower_median(values);
      levels.push_back(middle);
      for (const int r : peers) {
        if (!std::isnan(own.own_ns[r][s]))
          out.excess_ns[r][s] = own.own_ns[r][s] - middle;
      }
    }
    const double level = evidence::median(levels);
    if (levels.empty() || level <= 0)
      return;
    const double spread = centre(peers);
    std::vector<std::vector<double>> all;
    for (const int r : peers)
      all.push_back(out.excess_ns[r]);
    const double roughness = slow_noise(all);
    for (const int r : peers) {
      out.level_ns[r] = level;
      out.roughness[r] = roughness;
      judge(r, peers, level, spread);
    }
  }

  // Subtracts from the excesses of the peers the lower median of their median excesses. It differs from 0,
  // because the lower median of few noisy values, which is the level of each step, lies below their mean.
  // Returns the standard deviation of the lasting differences between healthy peers, 0 with under six peers.
  double centre(const std::vector<int>& peers) {
    std::vector<double> means;
    HostValues of_hosts;
    for (const int r : peers) {
      std::vector<double> known;
      for (const double v : out.excess_ns[r]) {
        if (!std::isnan(v))
          known.push_back(v);
      }
      if (known.empty())
        continue;
      means.push_back(evidence::median(known));
      of_hosts.emplace_back(job.ranks[r].host, means.back());
    }
    const double bias = lower_median(of_hosts);
    for (const int r : peers) {
      for (double& v : out.excess_ns[r])
        v -= bias;
    }
    if (means.size() < 6)
      return 0;
    // The deviation is estimated from the lower half, which slow peers do not widen.
    std::ranges::sort(means);
    return (means[(means.size() - 1) / 2] - means[(means.size() - 1) / 4]) / 0.674;
  }

  // Decides whether a rank is slower than its peers by more than their spread.
  void judge(int rank, const std::vector<int>& peers, double level, double spread) {
    const double floor = std::max(tuning::kLeastOwnShare * level, tuning::kLeastStepShare * step_ns);
    // Half of kLeastPeerSpread suffices here, since the other ranks of the host may confirm the excess.
    const double least = std::max(floor, tuning::kLeastPeerSpread / 2 * spread);
    const Stretch s = best_stretch(out.excess_ns[rank], least / 2, out.roughness[rank]);
    if (s.count < tuning::kLeastSteps || s.mean < least)
      return;
    if (s.significance < tuning::kLeastSignificance)
      return;
    // Routing and sequence lengths make different ranks late in different steps. A slow part is late in most
    // steps.
    if (s.median < std::max(least / 2, tuning::kLeastMedianShare * s.mean))
      return;
    LateRank late;
    late.rank = rank;
    late.stretch = s;
    late.alone = s.mean >= tuning::kLeastPeerSpread * spread;
    late.level_ns = level;
    late.first_share = part_excess(job, own.first_ns, peers, rank, s) / s.mean;
    HostValues shares;
    for (const int p : peers)
      shares.emplace_back(
          job.ranks[p].host,
          mean_of(own.first_ns[p]) / std::max(1.0, mean_of(own.own_ns[p])));
    late.first_level = lower_median(shares);
    const bool computes = job.ranks[rank].trace->computes;
    late.compute_share = computes ? part_excess(job, own.compute_ns, peers, rank, s) / s.mean : NAN;
    out.late.push_back(late);
  }
};

}  // namespace

// Returns the own time of each rank: the time between its collectives, by record and by step.
OwnTime own_time(const Job& job) {
  OwnTime own;
  const size_t n = job.ranks.size();
  own.before_ns.resize(n);
  own.after.resize(n);
  own.own_ns.resize(n);
  own.first_ns.resize(n);
  own.compute_ns.resize(n);
  own.waiting_ns.resize(n);
  for (size_t r = 0; r < n; ++r) {
    split(*job.ranks[r].trace, own.before_ns[r], own.after[r]);
    sum_steps(job, r, own);
  }
  return own;
}

std::vector<double> step_lengths(const Job& job) {
  std::vector<std::vector<double>> lengths(job.steps);
  std::vector<int64_t> ends;
  for (const JobRank& r : job.ranks) {
    ends.assign(job.steps, INT64_MIN);
    for (size_t i = 0; i < r.step.size(); ++i) {
      if (r.step[i] >= 0)
        ends[r.step[i]] = std::max(ends[r.step[i]], r.trace->records[i].end_ns);
    }
    for (int s = 1; s < job.steps; ++s) {
      if (ends[s] != INT64_MIN && ends[s - 1] != INT64_MIN)
        lengths[s].push_back(double(ends[s] - ends[s - 1]));
    }
  }
  std::vector<double> out;
  for (std::vector<double>& step : lengths)
    out.push_back(step.empty() ? NAN : evidence::median(std::move(step)));
  return out;
}

// Returns the ranks that are slower than ranks with the same work.
OwnVerdict late_ranks(const Job& job, const OwnTime& own, double step_ns) {
  OwnVerdict out;
  out.excess_ns.assign(job.ranks.size(), std::vector<double>(job.steps, NAN));
  out.level_ns.assign(job.ranks.size(), NAN);
  out.roughness.assign(job.ranks.size(), 1);
  std::vector<std::vector<int>> groups(job.peer_groups);
  for (size_t r = 0; r < job.ranks.size(); ++r)
    groups[job.ranks[r].peers].push_back(int(r));
  Judge judge{job, own, step_ns, out};
  for (const std::vector<int>& peers : groups) {
    if (peers.size() < 2) {
      out.without_peers.insert(out.without_peers.end(), peers.begin(), peers.end());
    } else {
      judge.group(peers);
    }
  }
  for (size_t h = 0; h < job.hosts.size() && job.hosts.size() > 1; ++h) {
    const auto compared = [&](int rank) {
      return std::ranges::any_of(groups[job.ranks[rank].peers], [&](int peer) {
        return job.ranks[peer].host != int(h);
      });
    };
    if (std::ranges::none_of(job.hosts[h].ranks, compared))
      out.hosts_without_peers.push_back(int(h));
  }
  std::ranges::sort(out.late, [](const LateRank& a, const LateRank& b) {
    return a.rank < b.rank;
  });
  return out;
}

}  // namespace lento::fleet::ranks

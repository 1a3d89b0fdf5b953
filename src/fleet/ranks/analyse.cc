// Runs the inference over a job's collectives: step, own times, transfers, clocks, late ranks and slow parts,
// then joins them into culprits. Ranks of a host that are late together become one culprit. A replay without
// each culprit estimates its cost. Method: docs/methods/collectives.md. Cost: linear in the records, one
// replay a culprit.
#include "fleet/ranks/analyse.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "evidence/sample.h"
#include "fleet/ranks/hidden.h"
#include "fleet/ranks/replay.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

// Returns the median span of the slow periods of several ranks, with their mean size.
Stretch hull(const std::vector<const LateRank*>& late) {
  std::vector<double> begins;
  std::vector<double> ends;
  std::vector<double> means;
  std::vector<double> medians;
  std::vector<double> significances;
  for (const LateRank* l : late) {
    begins.push_back(l->stretch.begin);
    ends.push_back(l->stretch.end);
    means.push_back(l->stretch.mean);
    medians.push_back(l->stretch.median);
    significances.push_back(l->stretch.significance);
  }
  Stretch s;
  s.begin = int(evidence::median(begins));
  s.end = int(std::ceil(evidence::median(ends)));
  s.mean = evidence::mean(means);
  s.median = evidence::mean(medians);
  s.significance = *std::ranges::max_element(significances);
  s.count = s.end - s.begin;
  return s;
}

bool is_input(const LateRank& l) {
  if (l.first_share < tuning::kShareOfKind)
    return false;
  // With recorded kernels, idle time distinguishes waiting for input from computing. Without them, slow
  // input is assumed only where less than half of the peers' own time lies before the first collective of a
  // step, because otherwise most delays lie there, whatever their cause.
  return std::isnan(l.compute_share) ? l.first_level < 0.5 : l.compute_share < 1 - tuning::kShareOfKind;
}

// Returns whether kernels run as long as the peers' but begin late, which points at the CPU side of the rank.
bool is_gap(const LateRank& l) {
  return !std::isnan(l.compute_share) && l.compute_share < 1 - tuning::kShareOfKind;
}

// Returns the cause for late ranks: GPU, host or input.
Culprit culprit_of(const Job& job, const std::vector<const LateRank*>& late, bool whole_host) {
  Culprit c;
  size_t inputs = 0;
  double level = 0;
  for (const LateRank* l : late) {
    c.ranks.push_back(l->rank);
    inputs += is_input(*l);
    level += l->level_ns / double(late.size());
  }
  c.host = job.ranks[late[0]->rank].host;
  c.rank = whole_host ? -1 : late[0]->rank;
  c.stretch = hull(late);
  c.excess_ns = c.stretch.mean;
  c.factor = 1 + c.excess_ns / level;
  c.significance = c.stretch.significance;
  if (inputs * 2 > late.size()) {
    c.kind = FaultKind::SlowInput;
  } else {
    c.kind = whole_host || is_gap(*late[0]) ? FaultKind::SlowHost : FaultKind::SlowGpu;
  }
  return c;
}

// Returns whether a slow stretch counts as a fault. One that ended within a fifth of the run has a cause
// outside the job: other tenants of the machine, a checkpoint. One that reaches the end of the run, or that
// slows by more than a quarter, counts at any length.
bool lasts(const Stretch& s, double factor, int steps) {
  const bool goes_on = s.end >= steps - 3;
  return goes_on || factor > 1.25 || 5 * (s.end - s.begin) >= steps;
}

// Returns by how many standard errors a rank's mean excess in the steps of `s` lies above zero.
double significance_in(const Analysis& a, int rank, const Stretch& s) {
  const std::vector<double>& excess = a.late.excess_ns[rank];
  const auto known = std::ranges::count_if(
      excess.begin() + s.begin,
      excess.begin() + std::min(s.end, int(excess.size())),
      [](double v) {
        return !std::isnan(v);
      });
  const double error = a.late.roughness[rank] * noise_of(excess) / std::sqrt(double(known));
  return error > 0 ? mean_between(excess, s.begin, s.end) / error : 0;
}

// Returns the ranks of a host whose excess in the steps of the late ones is above half of theirs. Beside a
// single late rank the excess must also be significant.
std::vector<int> shown_by(const Analysis& a, const std::vector<const LateRank*>& late, int host) {
  const Stretch s = hull(late);
  std::vector<int> shown;
  for (const int rank : a.job.hosts[host].ranks) {
    const double mean = mean_between(a.late.excess_ns[rank], s.begin, s.end);
    const bool sure = late.size() > 1 || rank == late.front()->rank ||
                      significance_in(a, rank, s) >= tuning::kLeastSharedSignificance;
    if (mean > s.mean / 2 && sure)
      shown.push_back(rank);
  }
  return shown;
}

// Adds culprits for late ranks, one host instead of its ranks when nearly all of them are late at the same
// time.
void blame_own(Analysis& a) {
  std::vector<std::vector<const LateRank*>> by_host(a.job.hosts.size());
  for (const LateRank& l : a.late.late) {
    // An inserted barrier (hidden.h) ends before the first collective of a step. Waiting that it does not
    // cover, because the clocks err, looks like slow input.
    const bool inferred = !a.completed.empty() && is_input(l);
    if (inferred && l.stretch.significance < tuning::kLeastInferredSignificance)
      continue;
    if (lasts(l.stretch, 1 + l.stretch.mean / l.level_ns, a.job.steps))
      by_host[a.job.ranks[l.rank].host].push_back(&l);
  }
  for (size_t h = 0; h < by_host.size(); ++h) {
    const std::vector<const LateRank*>& late = by_host[h];
    const auto all = double(a.job.hosts[h].ranks.size());
    const std::vector<int> shown = late.empty() ? std::vector<int>{} : shown_by(a, late, int(h));
    if (all > 1 && double(shown.size()) >= tuning::kShareOfWhole * all) {
      a.culprits.push_back(culprit_of(a.job, late, true));
      a.culprits.back().ranks = shown;
      continue;
    }
    for (const LateRank* l : late) {
      if (l->alone)
        a.culprits.push_back(culprit_of(a.job, {l}, false));
    }
  }
}

// Returns whether a slow host explains the slow part: a host whose processes are delayed also sends slowly.
bool follows_from_host(const Analysis& a, const SlowPart& part) {
  const int host = host_of(a.job, part.part);
  return std::ranges::any_of(a.culprits, [&](const Culprit& c) {
    const int begin = std::max(c.stretch.begin, part.stretch.begin);
    const int end = std::min(c.stretch.end, part.stretch.end);
    const int shorter = std::min(c.stretch.end - c.stretch.begin, part.stretch.end - part.stretch.begin);
    return c.kind == FaultKind::SlowHost && c.host == host && 2 * (end - begin) >= shorter;
  });
}

// Adds a cause for each slow link that is not explained by a slow host.
void blame_links(Analysis& a) {
  for (size_t p = 0; p < a.parts.size(); ++p) {
    const SlowPart& part = a.parts[p];
    if (!lasts(part.stretch, part.factor, a.job.steps) || follows_from_host(a, part))
      continue;
    Culprit c;
    c.kind = FaultKind::SlowLink;
    c.part = int(p);
    c.stretch = part.stretch;
    c.factor = part.factor;
    c.significance = part.stretch.significance;
    // Channels with the same operation, size and number of ranks and hosts (one shape) run at the same time
    // and cost as much as the slowest of them. Channels of different shapes run one after another, so their
    // costs add up.
    std::map<int, double> cost;
    for (const int channel : part.part.hits) {
      double& most = cost[a.job.channels[channel].shape];
      most = std::max(most, a.channels.channels[channel].cost_ns);
    }
    for (const auto& [shape, ns] : cost)
      c.excess_ns += ns;
    if (c.excess_ns < tuning::kLeastStepShare * a.typical_step_ns)
      continue;
    a.culprits.push_back(std::move(c));
  }
}

// Finds a peer's record at the same place of the same step, so that its own time can replace a slow rank's.
class Places {
 public:
  explicit Places(const Job& job)
      : job_(job) {
    for (const JobRank& r : job.ranks) {
      std::vector<int32_t> begin(job.steps, -1);
      std::vector<int32_t> count(job.steps, 0);
      for (size_t i = 0; i < r.step.size(); ++i) {
        if (r.step[i] < 0)
          continue;
        if (begin[r.step[i]] < 0)
          begin[r.step[i]] = int32_t(i);
        ++count[r.step[i]];
      }
      for (int s = 0; s < job.steps; ++s) {
        if (count[s] != r.typical)
          begin[s] = -1;
      }
      begin_.push_back(std::move(begin));
    }
  }
  // Returns the peer's record at the same place of the same step, or -1.
  int32_t of(int peer, int rank, int32_t record) const {
    const int32_t step = job_.ranks[rank].step[record];
    if (step < 0 || begin_[rank][step] < 0 || begin_[peer][step] < 0)
      return -1;
    return begin_[peer][step] + (record - begin_[rank][step]);
  }

 private:
  const Job& job_;
  std::vector<std::vector<int32_t>> begin_;
};

// Removes the effect of culprits from own times and transfers.
class Remedy {
 public:
  Remedy(const Analysis& a, const Places& places)
      : a_(a),
        places_(places) {
    own_.resize(a.job.ranks.size());
    link_.assign(a.job.channels.size(), nullptr);
    for (const LateRank& l : a.late.late)
      late_.insert(l.rank);
  }

  // Adds a cause whose excess is to be removed from the replay.
  void add(const Culprit& c) {
    if (c.part >= 0) {
      for (const int channel : a_.parts[c.part].part.hits)
        link_[channel] = &c;
      return;
    }
    for (const int rank : c.ranks)
      own_[rank] = {&c, donor(rank)};
  }

  // Returns the replaced times for the replay.
  Change change() const {
    Change change;
    change.own = [this](int rank, int record, double own) {
      return own_without(rank, record, own);
    };
    change.transfer = [this](size_t instance, double transfer) {
      const Instance& i = a_.job.instances[instance];
      const Culprit* c = link_[i.channel];
      const Stretch& s = a_.channels.channels[i.channel].stretch;
      if (!c || i.step < s.begin || i.step >= s.end)
        return transfer;
      return transfer / std::exp(s.mean);
    };
    return change;
  }

 private:
  struct Cure {
    const Culprit* culprit = nullptr;
    int donor = -1;
  };

  // Returns a peer that is not late, or -1. Different ranks get different peers as far as there are enough.
  int donor(int rank) const {
    std::vector<int> healthy;
    for (size_t r = 0; r < a_.job.ranks.size(); ++r) {
      if (a_.job.ranks[r].peers == a_.job.ranks[rank].peers && !late_.contains(int(r)))
        healthy.push_back(int(r));
    }
    return healthy.empty() ? -1 : healthy[size_t(rank) % healthy.size()];
  }

  // Returns the own time of a rank without its fault, in nanoseconds.
  double own_without(int rank, int record, double own) const {
    const Cure& cure = own_[rank];
    const int32_t step = a_.job.ranks[rank].step[record];
    if (!cure.culprit || step < cure.culprit->stretch.begin || step >= cure.culprit->stretch.end)
      return own;
    // A slow GPU stretches its work. A slow host or input adds waits of random length, and the own time of a
    // healthy peer replaces those.
    const double shorter = own / cure.culprit->factor;
    if (cure.culprit->kind == FaultKind::SlowGpu || cure.donor < 0)
      return shorter;
    const int32_t other = places_.of(cure.donor, rank, record);
    if (other < 0)
      return shorter;
    return std::min(own, a_.own.before_ns[cure.donor][other]);
  }

  const Analysis& a_;
  const Places& places_;
  std::vector<Cure> own_;
  std::vector<const Culprit*> link_;
  std::set<int> late_;
};

// Replays the steps without each cause, and without all of them, to find what each costs.
void what_if(Analysis& a, const base::Progress& progress) {
  const Replay replay(a.job, a.own, a.clocks);
  const Places places(a.job);
  const std::vector<double> base = replay.steps({});
  a.replayed_step_ns = mean_between(base, 1, a.job.steps);
  Remedy all(a, places);
  for (size_t i = 0; i < a.culprits.size(); ++i) {
    progress("what a step would take", double(i), double(a.culprits.size()));
    Culprit& c = a.culprits[i];
    Remedy one(a, places);
    one.add(c);
    const std::vector<double> without = replay.steps(one.change());
    const int begin = std::max(1, c.stretch.begin);
    const double lost =
        mean_between(base, begin, c.stretch.end) - mean_between(without, begin, c.stretch.end);
    c.lost_ns = std::isnan(lost) ? 0 : std::max(0.0, lost);
    all.add(c);
  }
  const double together = mean_between(replay.steps(all.change()), 1, a.job.steps);
  a.lost_together_ns = std::isnan(together) ? 0 : std::max(0.0, a.replayed_step_ns - together);
}

// Returns the names of the switches that the hosts are connected to.
std::vector<std::string> switch_names(const Job& job, const AnalyseOptions& options) {
  std::set<std::string> names;
  for (const JobHost& host : job.hosts) {
    const auto found = options.switch_of.find(host.name);
    if (found != options.switch_of.end())
      names.insert(found->second);
  }
  return {names.begin(), names.end()};
}

// Returns the index of the switch by host, -1 where none is given.
std::vector<int>
switch_index(const Job& job, const AnalyseOptions& options, const std::vector<std::string>& names) {
  std::vector<int> out;
  for (const JobHost& host : job.hosts) {
    const auto found = options.switch_of.find(host.name);
    out.push_back(-1);
    if (found == options.switch_of.end())
      continue;
    out.back() = int(std::lower_bound(names.begin(), names.end(), found->second) - names.begin());
  }
  return out;
}

// Measures the length of each step and their median, in nanoseconds.
void measure_steps(Analysis& a) {
  a.step_ns = step_lengths(a.job);
  std::vector<double> known;
  for (const double s : a.step_ns) {
    if (!std::isnan(s))
      known.push_back(s);
  }
  a.typical_step_ns = evidence::median(known);
}

}  // namespace

const char* name(FaultKind kind) {
  switch (kind) {
    case FaultKind::SlowGpu:
      return "slow GPU";
    case FaultKind::SlowHost:
      return "slow host";
    case FaultKind::SlowInput:
      return "slow input";
    case FaultKind::SlowLink:
      return "slow link";
  }
  return "";
}

std::string subject(const Analysis& a, const Culprit& c) {
  if (c.part >= 0)
    return text(a.job, a.parts[c.part].part, a.switches);
  return c.rank >= 0 ? a.job.ranks[c.rank].label : a.job.hosts[c.host].name;
}

Analysis
analyse(const std::vector<RankTrace>& traces, const AnalyseOptions& options, const base::Progress& progress) {
  Analysis a;
  progress("matching collectives", 0, 0);
  a.job = make_job(traces);
  a.transfer_ns = transfer_times(a.job);
  a.switches = switch_names(a.job, options);
  const std::vector<int> switch_of = switch_index(a.job, options, a.switches);
  if (!a.job.timed) {
    a.channels = slow_channels(a.job, a.transfer_ns);
    a.parts = explain_channels(a.job, a.channels, switch_of);
    return a;
  }
  measure_steps(a);
  a.clocks = align_clocks(a.job, a.transfer_ns);
  if (has_hidden_barrier(a.job, a.clocks, a.typical_step_ns)) {
    a.completed = with_hidden_barrier(a.job, a.clocks);
    a.job = make_job(a.completed);
    a.transfer_ns = transfer_times(a.job);
    measure_steps(a);
  }
  a.own = own_time(a.job);
  a.late = late_ranks(a.job, a.own, a.typical_step_ns);
  a.channels = slow_channels(a.job, a.transfer_ns);
  a.parts = explain_channels(a.job, a.channels, switch_of);
  blame_own(a);
  blame_links(a);
  if (options.what_if && !a.culprits.empty())
    what_if(a, progress);
  std::ranges::stable_sort(a.culprits, [](const Culprit& x, const Culprit& y) {
    return x.lost_ns > y.lost_ns;
  });
  return a;
}

}  // namespace lento::fleet::ranks

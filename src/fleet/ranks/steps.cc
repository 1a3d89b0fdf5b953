// Assigns records to training steps, by step marks of the source if all ranks have them. Otherwise by the
// repeating sequence of operations: its period is the distance at which the rarest operation and nearly all
// others repeat. A step ends with the last occurrence of that rarest operation (usually the gradients'
// all-reduce), whose number in the log numbers the step, so that logs that begin or end at different steps
// get the same numbers.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/rng.h"
#include "evidence/sample.h"
#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  return base::mix64(hash ^ base::mix64(value));
}

// Hashes the kind of a record. The hash is equal on ranks with the same role, so it leaves out the
// communicator's number.
uint64_t kind_of(const RankTrace& t, const CollectiveRecord& r) {
  const Communicator& c = t.communicators[r.communicator];
  uint64_t hash = mix(base::hash_text(c.name), uint64_t(c.size));
  hash = mix(hash, uint64_t(r.op));
  // Routed tokens differ in number from step to step, so the size of an all-to-all is no part of its kind.
  if (r.op != CollectiveOp::AllToAll)
    hash = mix(hash, uint64_t(r.bytes));
  if (is_p2p(r.op))
    hash = mix(hash, r.peer > c.own ? 1 : 2);
  return hash;
}

std::vector<uint64_t> kinds_of(const RankTrace& t) {
  std::vector<uint64_t> kinds;
  kinds.reserve(t.records.size());
  for (const CollectiveRecord& r : t.records)
    kinds.push_back(kind_of(t, r));
  return kinds;
}

// Returns the share of records that come again after `period`.
double repeats(const std::vector<uint64_t>& kinds, size_t period) {
  const size_t n = kinds.size() - period;
  const size_t stride = std::max<size_t>(1, n / 4096);
  size_t same = 0;
  size_t looked = 0;
  for (size_t i = 0; i < n; i += stride) {
    ++looked;
    same += kinds[i] == kinds[i + period];
  }
  return looked == 0 ? 0 : double(same) / double(looked);
}

struct Period {
  size_t length = 0;
  std::set<uint64_t> rare;  // kinds that occur least often in a period
};

// Returns the length of the repeating sequence of operations and its rarest kinds, or length 0 when none is
// found.
Period find_period(const std::vector<uint64_t>& kinds) {
  constexpr double kSame = 0.95;
  constexpr size_t kLeast = 3;  // repetitions
  std::map<uint64_t, std::vector<size_t>> places;
  for (size_t i = 0; i < kinds.size(); ++i)
    places[kinds[i]].push_back(i);
  std::vector<std::pair<size_t, uint64_t>> order;
  for (const auto& [kind, at] : places) {
    if (at.size() >= kLeast)
      order.push_back({at.size(), kind});
  }
  std::ranges::sort(order);
  for (const auto& [count, kind] : order) {
    const std::vector<size_t>& at = places[kind];
    const size_t middle = at.size() / 2;
    for (size_t j = middle + 1; j < at.size() && j < middle + 65; ++j) {
      const size_t period = at[j] - at[middle];
      if (period * kLeast > kinds.size())
        break;
      if (repeats(kinds, period) < kSame)
        continue;
      // Collects the kinds as rare as this one, except for occurrences that the ends of the record cut off.
      Period found{period, {}};
      for (const auto& [times, other] : order) {
        if (times <= count + count / 10 + 1 && 2 * times > count)
          found.rare.insert(other);
      }
      return found;
    }
  }
  return {};
}

// Returns the records that end a step: the last record of each run of the rarest kinds. If a period has
// several such runs, only the one counts whose next record has the smallest hash of its kind, which is the
// same on every rank with the same role. If all kinds are equally rare, the longest gap between two records
// separates the steps.
std::vector<size_t>
ends_of_steps(const RankTrace& t, const std::vector<uint64_t>& kinds, const Period& period) {
  const auto rare = [&](size_t i) {
    return period.rare.contains(kinds[i]);
  };
  uint64_t next = UINT64_MAX;
  for (size_t i = 0; i + 1 < kinds.size(); ++i) {
    if (rare(i) && !rare(i + 1))
      next = std::min(next, kinds[i + 1]);
  }
  std::vector<size_t> ends;
  if (next != UINT64_MAX) {
    for (size_t i = 0; i + 1 < kinds.size(); ++i) {
      if (rare(i) && kinds[i + 1] == next)
        ends.push_back(i);
    }
    return ends;
  }
  const size_t from = kinds.size() / 2;
  size_t best = from;
  int64_t widest = INT64_MIN;
  for (size_t i = from; i < std::min(from + period.length, kinds.size() - 1); ++i) {
    const int64_t gap = t.timed ? t.records[i + 1].begin_ns - t.records[i].end_ns : 0;
    if (gap <= widest)
      continue;
    widest = gap;
    best = i;
  }
  for (size_t i = best % period.length; i + 1 < kinds.size(); i += period.length)
    ends.push_back(i);
  return ends;
}

// Returns by how much the source's sequence number rises from the end of a step to the end of the next: the
// number of records in a period that advance the same counter (communicator and operation, or all sends and
// receives). The lower median over periods counts, since records of some may be lost.
int64_t rise_of_numbers(const RankTrace& t, const std::vector<size_t>& ends, size_t period) {
  std::vector<int64_t> rises;
  for (const size_t end : ends) {
    const CollectiveRecord& like = t.records[end];
    int64_t count = 0;
    for (size_t i = end + 1 - std::min(period, end + 1); i <= end; ++i) {
      const CollectiveRecord& r = t.records[i];
      const bool same = is_p2p(like.op) ? is_p2p(r.op) : r.op == like.op;
      count += same && r.communicator == like.communicator;
    }
    rises.push_back(count);
  }
  return evidence::lower_median_reordering(std::span(rises));
}

// Divides the records of a rank into steps by their repetition, for traces without marks of steps.
void steps_by_period(JobRank& rank) {
  const RankTrace& t = *rank.trace;
  rank.step.assign(t.records.size(), -1);
  const std::vector<uint64_t> kinds = kinds_of(t);
  const Period period = find_period(kinds);
  if (period.length == 0)
    return;
  const std::vector<size_t> ends = ends_of_steps(t, kinds, period);
  if (ends.empty())
    return;
  const int64_t rise = rise_of_numbers(t, ends, period.length);
  size_t at = 0;
  int64_t step = 0;
  for (size_t e = 0; e < ends.size(); ++e) {
    const int64_t number = t.records[ends[e]].sequence;
    step = number >= 0 ? (number - 1) / rise : int64_t(e);
    for (; at <= ends[e]; ++at)
      rank.step[at] = int32_t(step);
  }
  for (; at < t.records.size(); ++at)
    rank.step[at] = int32_t(step + 1);
}

void take_marks(JobRank& rank) {
  rank.step.clear();
  for (const CollectiveRecord& r : rank.trace->records)
    rank.step.push_back(r.step);
}

// Renumbers the steps of the job from 0. Records before the first step mark belong to no step.
void renumber(Job& job) {
  constexpr int32_t kMostSteps = 1 << 22;
  int32_t first = INT32_MAX;
  int32_t last = -1;
  for (const JobRank& rank : job.ranks) {
    for (const int32_t step : rank.step) {
      if (step < 0)
        continue;
      first = std::min(first, step);
      last = std::max(last, step);
    }
  }
  if (last < 0 || last - first >= kMostSteps) {
    for (JobRank& rank : job.ranks)
      std::ranges::fill(rank.step, -1);
    return;
  }
  job.steps = last - first + 1;
  for (JobRank& rank : job.ranks) {
    for (int32_t& step : rank.step)
      step = step < 0 ? -1 : step - first;
  }
}

// Returns the commonest hash over the operations of a step, and sets JobRank::typical. Steps with a lost or
// an extra record are rare, so they do not affect it.
uint64_t ordinary_step(JobRank& rank) {
  struct Step {
    uint64_t hash = 1;
    int32_t records = 0;
  };
  std::map<int32_t, Step> steps;
  for (size_t i = 0; i < rank.step.size(); ++i) {
    if (rank.step[i] < 0)
      continue;
    Step& step = steps[rank.step[i]];
    step.hash = mix(step.hash, kind_of(*rank.trace, rank.trace->records[i]));
    ++step.records;
  }
  std::map<uint64_t, int> how_often;
  Step best;
  for (const auto& [number, step] : steps) {
    const int count = ++how_often[step.hash];
    if (count > how_often[best.hash] || (count == how_often[best.hash] && step.hash < best.hash))
      best = step;
  }
  rank.typical = best.records;
  return best.records > 0 ? best.hash : 0;
}

}  // namespace

void find_steps(Job& job) {
  job.step_marks = true;
  for (const JobRank& rank : job.ranks) {
    const bool marked = std::ranges::any_of(rank.trace->records, [](const CollectiveRecord& r) {
      return r.step >= 0;
    });
    job.step_marks = job.step_marks && marked;
  }
  for (JobRank& rank : job.ranks) {
    if (job.step_marks) {
      take_marks(rank);
    } else {
      steps_by_period(rank);
    }
  }
  renumber(job);
  std::map<uint64_t, int> groups;
  for (JobRank& rank : job.ranks) {
    const auto next = int(groups.size());
    rank.peers = groups.emplace(ordinary_step(rank), next).first->second;
  }
  job.peer_groups = int(groups.size());
}

}  // namespace lento::fleet::ranks

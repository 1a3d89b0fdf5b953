// Finds missing ranks by the size of the job and the member lists of its groups. Where ranks have no numbers,
// a group in which every member has to take part shows its missing members by their positions. A trace that
// was not closed, or whose layout marks no end, is compared with the others by steps, because clocks of hosts
// do not compare. Memory grows with what the files list, never with a size that they merely claim.
#include "fleet/ranks/roll_call.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "evidence/census.h"
#include "evidence/sample.h"

namespace lento::fleet::ranks {
namespace {

constexpr size_t kMostNames = 20;

void add_name(RollCall& roll, const std::string& name) {
  ++roll.count;
  if (roll.unseen.size() < kMostNames)
    roll.unseen.push_back(name);
}

bool numbered(const Job& job) {
  return !job.ranks_inferred && std::ranges::all_of(job.ranks, [](const JobRank& r) {
    return r.number >= 0;
  });
}

// Finds the numbers of ranks that left no trace.
void call_numbers(const Job& job, RollCall& roll) {
  std::set<int> seen;
  for (const JobRank& r : job.ranks)
    seen.insert(r.number);
  const auto inside = uint64_t(std::distance(seen.begin(), seen.lower_bound(std::max(0, job.world))));
  for (int n = 0; n < job.world && roll.unseen.size() < kMostNames; ++n) {
    if (!seen.contains(n))
      add_name(roll, "rank" + std::to_string(n));
  }
  roll.count = job.world > 0 ? uint64_t(job.world) - inside : 0;
  std::set<int32_t> listed;
  for (const JobRank& r : job.ranks) {
    for (const Communicator& c : r.trace->communicators)
      listed.insert(c.ranks.begin(), c.ranks.end());
  }
  for (const int32_t n : listed) {
    if (n >= std::max(0, job.world) && !seen.contains(n))
      add_name(roll, "rank" + std::to_string(n));
  }
}

// Returns the communicators with a recorded collective, in which every member takes part, and with a known
// position of each rank.
std::vector<const JobCommunicator*> joint(const Job& job) {
  std::map<std::string, int> state;  // 1: joint, -1: a place is not known
  for (const JobRank& r : job.ranks) {
    std::vector<bool> used(r.trace->communicators.size());
    for (const CollectiveRecord& record : r.trace->records) {
      if (!is_p2p(record.op))
        used[size_t(record.communicator)] = true;
    }
    for (size_t c = 0; c < used.size(); ++c) {
      int& known = state[r.trace->communicators[c].key];
      if (r.trace->communicators[c].own < 0)
        known = -1;
      else if (used[c] && known == 0)
        known = 1;
    }
  }
  std::vector<const JobCommunicator*> out;
  for (const JobCommunicator& c : job.communicators) {
    if (state[c.key] == 1)
      out.push_back(&c);
  }
  return out;
}

// Returns by communicator the members that a send or a receive names as its peer.
std::map<std::string, std::set<int>> peers_named(const Job& job) {
  std::map<std::string, std::set<int>> named;
  for (const JobRank& r : job.ranks) {
    for (const CollectiveRecord& record : r.trace->records) {
      const Communicator& c = r.trace->communicators[record.communicator];
      if (is_p2p(record.op) && c.own >= 0 && record.peer >= 0 && record.peer < c.size)
        named[c.key].insert(record.peer);
    }
  }
  return named;
}

// Counts and lists the members of groups that left no trace.
void call_members(const Job& job, RollCall& roll) {
  uint64_t most = 0;  // one rank is a member of several groups
  const auto unseen = [&](const JobCommunicator& c, int member) {
    const bool lacks = size_t(member) >= c.members.size() || c.members[member] < 0;
    if (lacks && roll.unseen.size() < kMostNames)
      roll.unseen.push_back("member " + std::to_string(member) + " of " + (c.name.empty() ? c.key : c.name));
    return lacks;
  };
  for (const JobCommunicator* c : joint(job)) {
    const auto known = uint64_t(std::ranges::count_if(c->members, [](int m) {
      return m >= 0;
    }));
    most = std::max(most, uint64_t(std::max(0, c->size)) - std::min(known, uint64_t(std::max(0, c->size))));
    for (int m = 0; m < c->size && roll.unseen.size() < kMostNames; ++m)
      unseen(*c, m);
  }
  const auto named = peers_named(job);
  for (const JobCommunicator& c : job.communicators) {
    const auto peers = named.find(c.key);
    if (peers == named.end())
      continue;
    most = std::max(most, uint64_t(std::ranges::count_if(peers->second, [&](int m) {
                      return unseen(c, m);
                    })));
  }
  roll.count = most;
}

// Counts the missing ranks by the size of the largest group or the job, when no positions are known.
void call_sizes(const Job& job, RollCall& roll) {
  int most = job.world;
  for (const JobCommunicator& c : job.communicators)
    most = std::max(most, c.size);
  if (most > int(job.ranks.size()))
    roll.count = uint64_t(most) - job.ranks.size();
}

// Finds traces that end early or were not closed.
void call_ends(const Job& job, RollCall& roll) {
  std::vector<evidence::Stream> streams;
  for (const JobRank& r : job.ranks) {
    if (!r.trace->closed)
      roll.not_closed.push_back(r.trace->file);
    evidence::Stream s{r.trace->file, -1, 0, r.trace->closed && r.trace->has_end};
    for (const int32_t step : r.step) {
      if (step <= s.last)
        continue;
      if (s.last >= 0)
        s.longest_silence = std::max(s.longest_silence, step - s.last);
      s.last = step;
    }
    streams.push_back(std::move(s));
  }
  std::ranges::sort(roll.not_closed);
  roll.unfinished = evidence::take_census({}, {}, streams).unfinished;
}

// Operation, bytes, size and name of the group. Collectives that agree in all four should take equally long.
using OperationKind = std::tuple<CollectiveOp, int64_t, int, std::string>;

// Returns by group the last step that all its members recorded: -1 when a member has no trace, the last step
// of a trace that ends early, else the largest number.
std::map<std::string, int32_t> last_whole_steps(const Job& job, const RollCall& roll) {
  constexpr int32_t kAll = std::numeric_limits<int32_t>::max();
  std::map<std::string, int32_t> last;
  for (const JobCommunicator* c : joint(job))
    last.emplace(c->key, c->complete() ? kAll : -1);
  for (const JobRank& r : job.ranks) {
    if (std::ranges::find(roll.unfinished, r.trace->file) == roll.unfinished.end() || r.step.empty())
      continue;
    for (const Communicator& c : r.trace->communicators) {
      if (const auto found = last.find(c.key); found != last.end())
        found->second = std::min(found->second, *std::ranges::max_element(r.step));
    }
  }
  return last;
}

// Compares the durations of collectives in groups that lack a trace, or the end of one, with those in
// complete groups. Longer ones point to the rank without a trace.
void compare_waits(const Job& job, RollCall& roll) {
  constexpr int32_t kAll = std::numeric_limits<int32_t>::max();
  const std::map<std::string, int32_t> last = last_whole_steps(job, roll);
  std::map<std::pair<OperationKind, std::string>, double> by_group;
  for (const JobRank& r : job.ranks) {
    std::map<std::pair<OperationKind, std::string>, std::vector<double>> durations;
    for (size_t i = 0; i < r.trace->records.size(); ++i) {
      const CollectiveRecord& record = r.trace->records[i];
      const Communicator& c = r.trace->communicators[record.communicator];
      const auto whole = last.find(c.key);
      if (!is_symmetric(record.op) || whole == last.end())
        continue;
      // When a trace ends early, its group lacks a member after that step. The group's collectives up to that
      // step count neither as complete nor as lacking a member.
      if (whole->second == kAll || whole->second < 0 || r.step[i] > whole->second)
        durations[{{record.op, record.bytes, c.size, c.name}, c.key}].push_back(
            double(record.end_ns - record.begin_ns));
    }
    for (const auto& [key, values] : durations) {
      const bool all = last.at(key.second) == kAll;
      const double ns = evidence::quantile(values, all ? 0.75 : 0.25);
      const auto [found, fresh] = by_group.emplace(key, ns);
      found->second = all ? std::max(found->second, ns) : std::min(found->second, ns);
    }
  }
  std::map<OperationKind, std::pair<double, double>> kinds;  // lacking, whole
  for (const auto& [key, ns] : by_group) {
    auto& [lacking, all] = kinds[key.first];
    double& longest = last.at(key.second) == kAll ? all : lacking;
    longest = std::max(longest, ns);
  }
  for (const auto& [kind, ns] : kinds) {
    const bool more = ns.first - ns.second > roll.lacking_ns - roll.whole_ns;
    if (ns.second > 0 && more)
      std::tie(roll.lacking_ns, roll.whole_ns) = ns;
  }
}

}  // namespace

// Returns which ranks of the job left no or an incomplete trace.
RollCall call_roll(const Job& job) {
  RollCall roll;
  if (numbered(job))
    call_numbers(job, roll);
  roll.numbered = roll.count > 0;
  if (roll.count == 0)
    call_members(job, roll);
  if (roll.count == 0)
    call_sizes(job, roll);
  call_ends(job, roll);
  if (!roll.complete())
    compare_waits(job, roll);
  return roll;
}

std::string unseen_text(const RollCall& roll) {
  const std::string all = std::to_string(roll.count) + (roll.count == 1 ? " rank" : " ranks");
  std::string text;
  for (const std::string& name : roll.unseen)
    text += (text.empty() ? "" : ", ") + name;
  if (text.empty())
    return all;
  if (!roll.numbered)
    return all + " (" + text + ")";
  if (roll.count > roll.unseen.size())
    text += " and " + std::to_string(roll.count - roll.unseen.size()) + " more";
  return text;
}

}  // namespace lento::fleet::ranks

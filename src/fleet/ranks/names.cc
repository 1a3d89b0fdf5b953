// Identifies hosts and rank numbers. Kineto records the global rank but rarely the host, which then follows
// from the number of the GPU: ranks of a host count their GPUs from 0, so rank - device is the first rank of
// the host. The Inspector records the host but no global rank. The numbers then follow from a communicator of
// all ranks, or else from the order of hosts and processes if every communicator has the same order and no
// member of one lacks a trace. The positions of processes on their host are numbers of GPUs under the same
// condition.
#include "evidence/names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "fleet/ranks/hidden.h"
#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {
namespace {

// Orders "host10" after "host9": runs of digits compare as numbers.
bool natural_less(const std::string& a, const std::string& b) {
  size_t i = 0;
  size_t j = 0;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9';
  };
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      size_t m = i;
      size_t n = j;
      while (m < a.size() && digit(a[m]))
        ++m;
      while (n < b.size() && digit(b[n]))
        ++n;
      std::string x = a.substr(i, m - i);
      std::string y = b.substr(j, n - j);
      x.erase(0, std::min(x.find_first_not_of('0'), x.size()));
      y.erase(0, std::min(y.find_first_not_of('0'), y.size()));
      if (x.size() != y.size())
        return x.size() < y.size();
      if (x != y)
        return x < y;
      i = m;
      j = n;
    } else {
      if (a[i] != b[j])
        return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

// Sorts traces by rank number, or else by host, GPU and process.
std::vector<const RankTrace*> in_order(const std::vector<RankTrace>& traces) {
  std::vector<const RankTrace*> order;
  for (const RankTrace& t : traces)
    order.push_back(&t);
  std::ranges::stable_sort(order, [](const RankTrace* a, const RankTrace* b) {
    if ((a->rank >= 0) != (b->rank >= 0))
      return a->rank >= 0;
    if (a->rank != b->rank)
      return a->rank < b->rank;
    if (a->host != b->host)
      return natural_less(a->host, b->host);
    if (a->process != b->process)
      return a->process < b->process;
    return natural_less(a->file, b->file);
  });
  return order;
}

// Names the hosts, from the traces or from numbers of devices.
void name_hosts(Job& job) {
  std::map<std::string, int> index;
  const auto host_of = [&](const std::string& key, const std::string& name) {
    const auto [found, fresh] = index.emplace(key, int(job.hosts.size()));
    if (fresh)
      job.hosts.push_back({name, {}});
    return found->second;
  };
  for (size_t r = 0; r < job.ranks.size(); ++r) {
    JobRank& rank = job.ranks[r];
    const RankTrace& t = *rank.trace;
    const std::string count = std::to_string(job.hosts.size());
    const bool named = evidence::fault_of_name(t.host) == evidence::NameFault::None;
    if (!t.host.empty()) {  // an invalid host name still groups its ranks, under a number
      rank.host = host_of("name " + t.host, named ? t.host : "host" + count);
      job.hosts_inferred |= !named;
    } else {
      const bool placed = t.rank >= 0 && t.device >= 0 && t.device <= t.rank;
      rank.host = host_of(
          placed ? "first " + std::to_string(t.rank - t.device) : "alone " + std::to_string(r),
          "host" + count);
      job.hosts_inferred = true;
    }
    job.hosts[rank.host].ranks.push_back(int(r));
  }
}

// Returns the largest number of members of one communicator that have no trace.
int most_unseen(const Job& job) {
  std::map<std::string, std::pair<int, std::set<int>>> groups;  // size, known positions
  for (const JobRank& rank : job.ranks) {
    for (const Communicator& c : rank.trace->communicators) {
      if (c.own < 0 || c.key == kHiddenKey)
        continue;
      auto& [size, seen] = groups[c.key];
      size = std::max(size, int(c.size));
      seen.insert(c.own);
    }
  }
  int most = 0;
  for (const auto& [key, group] : groups)
    most = std::max(most, group.first - int(group.second.size()));
  return most;
}

// Takes the numbers that a communicator of all ranks gives. Returns false when there is none. The ranks that
// it lacks are all that have no trace, so that no other communicator can lack more.
bool number_by_world(Job& job, int unseen) {
  std::map<std::string, std::set<int>> seen;
  for (const JobRank& rank : job.ranks) {
    for (const Communicator& c : rank.trace->communicators) {
      if (int64_t{c.size} >= int64_t(job.ranks.size()) + unseen && c.own >= 0 && c.key != kHiddenKey)
        seen[c.key].insert(c.own);
    }
  }
  for (const auto& [key, numbers] : seen) {
    if (numbers.size() != job.ranks.size())
      continue;
    for (JobRank& rank : job.ranks) {
      for (const Communicator& c : rank.trace->communicators) {
        if (c.key == key)
          rank.number = c.own;
        if (c.key == key)
          job.world = c.size;
      }
    }
    return true;
  }
  return false;
}

// Returns whether the order of ranks agrees with the order inside every communicator.
bool order_agrees(const Job& job) {
  std::map<std::string, int> last;
  for (const JobRank& rank : job.ranks) {
    for (const Communicator& c : rank.trace->communicators) {
      const auto [found, fresh] = last.emplace(c.key, c.own);
      if (!fresh && c.own <= found->second)
        return false;
      found->second = c.own;
    }
  }
  return true;
}

// Numbers the ranks, from the traces or by host and process.
void number_ranks(Job& job, int unseen) {
  bool all = true;
  for (JobRank& rank : job.ranks) {
    rank.number = rank.trace->rank;
    all = all && rank.number >= 0;
    job.world = std::max(job.world, rank.trace->world);
  }
  if (all || number_by_world(job, unseen))
    return;
  job.ranks_inferred = unseen == 0 && order_agrees(job);
  for (size_t r = 0; r < job.ranks.size(); ++r)
    job.ranks[r].number = job.ranks_inferred ? int(r) : -1;
}

// Gives each rank the label under which it is reported.
void label_ranks(Job& job, int unseen) {
  for (JobRank& rank : job.ranks) {
    rank.device = rank.trace->device;
    if (rank.number >= 0) {
      rank.label = "rank" + std::to_string(rank.number);
    } else {
      rank.label = job.hosts[rank.host].name + "/pid" + std::to_string(rank.trace->process);
    }
  }
  // The Inspector does not record the GPU, so the position among the processes of the host replaces it.
  if (unseen > 0)
    return;
  for (const JobHost& host : job.hosts) {
    for (size_t i = 0; i < host.ranks.size(); ++i) {
      JobRank& rank = job.ranks[host.ranks[i]];
      if (rank.device < 0)
        rank.device = int(i);
    }
  }
}

}  // namespace

void name_ranks(const std::vector<RankTrace>& traces, Job& job) {
  for (const RankTrace* t : in_order(traces)) {
    JobRank& rank = job.ranks.emplace_back();
    rank.trace = t;
    job.timed = job.timed && t->timed;
    job.layout = t->layout;
    job.matching.unlabelled += t->unlabelled;
    job.matching.communication += t->communication;
    job.matching.records += t->records.size();
  }
  const int unseen = most_unseen(job);
  number_ranks(job, unseen);
  name_hosts(job);
  label_ranks(job, unseen);
}

}  // namespace lento::fleet::ranks

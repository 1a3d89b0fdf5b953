// Matches the records of different ranks that belong to one collective. If the source numbers collectives,
// records with equal communicator, operation and number match, otherwise the n-th of an operation within a
// step. Sends and receives carry no common number, so the n-th send from a to b in a step matches the n-th
// receive of b from a. Without numbers and steps the n-th of the whole trace match, but only if every member
// recorded equally many, which a sampled or cut trace does not.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/units.h"
#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {
namespace {

struct Entry {
  uint64_t kind = 0;   // operation, for pairs the direction too
  int64_t number = 0;  // from the source, or made of the step and the place within it
  int32_t rank = 0;
  int32_t record = 0;
  bool by_order = false;  // neither the source nor a step gives the number
};

constexpr int64_t kPlaces = int64_t{1} << 24;  // most records of one operation in a step
constexpr size_t kMostComplaints = 20;

// Returns a key for operations that can belong together: the operation, and for a send or receive the two
// ranks.
uint64_t kind_of(const Communicator& c, const CollectiveRecord& r) {
  if (!is_p2p(r.op))
    return uint64_t(r.op);
  const auto own = uint64_t(c.own);
  const auto peer = uint64_t(r.peer);
  const bool sends = r.op == CollectiveOp::Send;
  return uint64_t{1} << 60 | (sends ? own : peer) << 30 | (sends ? peer : own);
}

struct Builder {
  explicit Builder(Job& j)
      : job(j) {
  }

  // Numbers the communicators of all traces. Equal keys are one communicator.
  void index_communicators() {
    std::unordered_map<std::string, int> index;
    for (size_t r = 0; r < job.ranks.size(); ++r) {
      std::vector<int> local;
      for (const Communicator& c : job.ranks[r].trace->communicators)
        local.push_back(add(index, c, r));
      global.push_back(std::move(local));
    }
    for (JobCommunicator& c : job.communicators) {
      for (const int member : c.members) {
        if (member >= 0)
          c.hosts.push_back(job.ranks[member].host);
      }
      std::ranges::sort(c.hosts);
      c.hosts.erase(std::unique(c.hosts.begin(), c.hosts.end()), c.hosts.end());
    }
    entries.resize(job.communicators.size());
  }

  // Adds a communicator of one rank. Returns its number.
  int add(std::unordered_map<std::string, int>& index, const Communicator& c, size_t rank) {
    const auto [found, fresh] = index.emplace(c.key, int(job.communicators.size()));
    if (fresh)
      job.communicators.push_back({c.key, c.name, c.size, {}, {}});
    JobCommunicator& common = job.communicators[found->second];
    if (c.own < 0 || c.own >= c.size)
      return found->second;
    const auto needed = size_t(c.own) + 1;
    if (needed > common.members.size()) {
      // Numbers that files claim must not cost more memory than this. No real job comes near the limit.
      constexpr size_t kMostMembers = size_t{1} << 25;
      const size_t growth = needed - common.members.size();
      if (members + growth > kMostMembers)
        return found->second;
      members += growth;
      common.members.resize(needed, -1);
    }
    common.members[c.own] = int(rank);
    return found->second;
  }

  // Collects the records of one rank by communicator, with their numbers within it.
  void collect(size_t r) {
    const JobRank& rank = job.ranks[r];
    const RankTrace& t = *rank.trace;
    std::map<std::pair<int32_t, uint64_t>, std::pair<int32_t, int64_t>> counts;  // -> step, place
    for (size_t i = 0; i < t.records.size(); ++i) {
      const CollectiveRecord& record = t.records[i];
      const Communicator& c = t.communicators[record.communicator];
      if (c.own < 0 || (is_p2p(record.op) && (record.peer < 0 || record.peer >= c.size)))
        continue;
      Entry e{kind_of(c, record), record.sequence, int32_t(r), int32_t(i)};
      if (record.sequence < 0 || is_p2p(record.op)) {
        const int32_t step = job.steps > 0 ? rank.step[i] : 0;
        if (step < 0)
          continue;
        auto& [last, place] = counts[{record.communicator, e.kind}];
        place = last == step ? place + 1 : 1;
        last = step;
        e.number = step * kPlaces + place;
        e.by_order = job.steps == 0;
      }
      entries[global[r][record.communicator]].push_back(e);
    }
  }

  // Matches the records of one communicator that have equal kind (operation, and ranks of a pair) and
  // number.
  void match(int communicator) {
    std::vector<Entry>& list = entries[communicator];
    std::ranges::sort(list, [](const Entry& a, const Entry& b) {
      if (a.kind != b.kind)
        return a.kind < b.kind;
      if (a.number != b.number)
        return a.number < b.number;
      return a.rank < b.rank;
    });
    for (size_t i = 0; i < list.size();) {
      size_t end = i + 1;
      while (end < list.size() && list[end].kind == list[i].kind)
        ++end;
      match_kind(communicator, {list.data() + i, end - i});
      i = end;
    }
    list = {};
  }

  // Matches the records of one kind.
  void match_kind(int communicator, std::span<const Entry> list) {
    if (list.front().by_order && !counts_agree(list))
      return;
    for (size_t i = 0; i < list.size();) {
      size_t end = i + 1;
      while (end < list.size() && list[end].number == list[i].number)
        ++end;
      add_instance(communicator, list.subspan(i, end - i));
      i = end;
    }
  }

  // Returns whether every rank in the list recorded equally many collectives.
  static bool counts_agree(std::span<const Entry> list) {
    std::map<int32_t, size_t> counts;
    for (const Entry& e : list)
      ++counts[e.rank];
    return std::ranges::all_of(counts, [&](const auto& c) {
      return c.second == counts.begin()->second;
    });
  }

  const CollectiveRecord& record(const Entry& e) const {
    return job.ranks[e.rank].trace->records[e.record];
  }

  // Returns whether all members have the same size, which all operations but all-to-all require.
  bool sizes_agree(std::span<const Entry> entries_of) const {
    const CollectiveRecord& first = record(entries_of[0]);
    if (first.op == CollectiveOp::AllToAll)
      return true;
    for (const Entry& e : entries_of) {
      if (record(e).bytes != first.bytes)
        return false;
    }
    return true;
  }

  // Notes a collective whose members recorded different sizes, at most kMostComplaints of them.
  void complain(int communicator, std::span<const Entry> e) {
    std::vector<std::string>& all = job.matching.complaints;
    if (all.size() >= kMostComplaints)
      return;
    const JobCommunicator& c = job.communicators[communicator];
    std::string line = std::string(name(record(e[0]).op)) + " of " + (c.name.empty() ? c.key : c.name) + ": ";
    for (size_t i = 0; i < std::min<size_t>(e.size(), 4); ++i) {
      line += (i > 0 ? ", " : "") + bytes_text(record(e[i]).bytes) + " on " + job.ranks[e[i].rank].label;
    }
    all.push_back(std::move(line));
  }

  // Adds a collective with all its records.
  void add_instance(int communicator, std::span<const Entry> e) {
    // A pair is a send and a receive of different ranks. The same rank twice is no match.
    for (size_t i = 1; i < e.size(); ++i) {
      if (e[i].rank == e[i - 1].rank)
        return;
    }
    const bool pair = is_p2p(record(e[0]).op);
    if (e.size() < 2 || (pair && e.size() != 2)) {
      ++job.matching.alone;
      return;
    }
    if (!sizes_agree(e)) {
      ++job.matching.mismatched;
      complain(communicator, e);
      return;
    }
    Instance i;
    i.channel = channel_of(communicator, e);
    i.first = uint32_t(job.members.size());
    i.count = uint32_t(e.size());
    i.complete = pair || int(e.size()) == job.communicators[communicator].size;
    for (const Entry& entry : e) {
      job.members.push_back({entry.rank, entry.record});
      i.step = std::max(i.step, job.ranks[entry.rank].step[entry.record]);
    }
    job.matching.matched += e.size();
    ++job.channels[i.channel].instances;
    job.instances.push_back(i);
  }

  // Returns the size by which collectives are assigned to channels. An all-to-all of routed tokens varies in
  // size, so its size is rounded up to a power of two.
  static int64_t size_class(const CollectiveRecord& r) {
    if (r.op != CollectiveOp::AllToAll)
      return r.bytes;
    int64_t size = 1;
    while (size < r.bytes && size < (int64_t{1} << 60))
      size *= 2;
    return size;
  }

  // Returns the index of the channel of a collective, which has equal communicator, kind and size.
  int channel_of(int communicator, std::span<const Entry> e) {
    const CollectiveRecord& first = record(e[0]);
    const uint64_t kind = e[0].kind;
    const auto key = std::make_pair(std::make_pair(communicator, kind), size_class(first));
    const auto found = channel_index.find(key);
    if (found != channel_index.end())
      return found->second;
    const int index = int(job.channels.size());
    channel_index.emplace(key, index);
    Channel c;
    c.communicator = communicator;
    c.bytes = key.second;
    c.op = is_p2p(first.op) ? CollectiveOp::Send : first.op;
    for (const Entry& entry : e) {
      if (record(entry).op == CollectiveOp::Send)
        c.from = entry.rank;
      if (record(entry).op == CollectiveOp::Recv)
        c.to = entry.rank;
      if (is_p2p(first.op))
        c.ranks.push_back(entry.rank);
    }
    if (!is_p2p(first.op)) {
      for (const int member : job.communicators[communicator].members) {
        if (member >= 0)
          c.ranks.push_back(member);
      }
    }
    for (const int rank : c.ranks)
      c.hosts.push_back(job.ranks[rank].host);
    std::ranges::sort(c.ranks);
    std::ranges::sort(c.hosts);
    c.hosts.erase(std::unique(c.hosts.begin(), c.hosts.end()), c.hosts.end());
    c.shape = shape_of(c);
    job.channels.push_back(std::move(c));
    return index;
  }

  // Returns the index of a channel's shape: its operation, size, number of ranks and number of hosts.
  int shape_of(const Channel& c) {
    const std::vector<int64_t> key = {
        int64_t(c.op),
        c.bytes,
        int64_t(c.ranks.size()),
        int64_t(c.hosts.size())};
    return shape_index.emplace(key, int(shape_index.size())).first->second;
  }

  Job& job;
  std::vector<std::vector<int>> global;  // index into Job::communicators by rank and index in its trace
  std::vector<std::vector<Entry>> entries;
  std::map<std::pair<std::pair<int, uint64_t>, int64_t>, int> channel_index;
  std::map<std::vector<int64_t>, int> shape_index;
  size_t members = 0;  // number of members of all communicators
};

}  // namespace

bool JobCommunicator::complete() const {
  return int(members.size()) == size && std::ranges::find(members, -1) == members.end();
}

void match_instances(Job& job) {
  Builder builder(job);
  builder.index_communicators();
  for (size_t r = 0; r < job.ranks.size(); ++r)
    builder.collect(r);
  for (size_t c = 0; c < job.communicators.size(); ++c)
    builder.match(int(c));
}

Job make_job(const std::vector<RankTrace>& traces) {
  Job job;
  name_ranks(traces, job);
  find_steps(job);
  match_instances(job);
  return job;
}

// Returns a number of bytes with a binary unit.
std::string bytes_text(int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  double value = double(bytes);
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return base::format_number(value, 3) + " " + units[unit];
}

std::string text(const Job& job, const Channel& channel) {
  const JobCommunicator& c = job.communicators[channel.communicator];
  if (channel.from >= 0 && channel.to >= 0) {
    return "send of " + bytes_text(channel.bytes) + " from " + job.ranks[channel.from].label + " to " +
           job.ranks[channel.to].label;
  }
  return std::string(name(channel.op)) + " of " + bytes_text(channel.bytes) + " in " +
         (c.name.empty() ? c.key : c.name) + " of " + job.ranks[channel.ranks.front()].label;
}

}  // namespace lento::fleet::ranks

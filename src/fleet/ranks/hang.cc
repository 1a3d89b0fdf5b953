// Finds the ranks that block a hanging job. All members of a group perform the same collectives in the same
// order, so their numbers compare: a rank that has completed or requested fewer than another member lags. A
// lagging rank is not yet a culprit, because a rank that waits in another group lags too. Each rank waits for
// its first incomplete operation, and a rank that waits there for an absent member is no culprit. The
// culprits are the lagging ranks that wait for nothing (their process stopped before the request) and those
// that have not completed an operation which their group has (their GPU stopped).
//
// Groups with sends and receives are left out, because these advance the same counter as collectives.
#include "fleet/ranks/hang.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace lento::fleet::ranks {
namespace {

// The state of a rank in a group: the numbers of the first collective that it has not completed and of the
// last one that it requested. -1: not known.
struct Progress {
  int64_t first_open = -1;
  int64_t last_asked = -1;
};

class Hang {
 public:
  explicit Hang(const std::vector<HangDump>& dumps) {
    for (const HangDump& d : dumps)
      by_rank_[d.rank] = &d;
    for (const HangDump& d : dumps) {
      for (const PendingOp& op : d.pending) {
        if (op.p2p)
          pairs_.insert(op.group);
        out_.pending += 1;
      }
      for (const auto& [name, config] : d.groups) {
        if (config.description.find("PIPELINE") != std::string::npos)
          pairs_.insert(name);
        std::vector<int32_t>& members = members_[name];
        if (members.size() < config.ranks.size())
          members = config.ranks;
        described_[name] = config.description;
      }
    }
  }

  // Finds the ranks that lag in some group and those that wait for them.
  HangAnalysis run() {
    find_missing();
    find_mismatches();
    for (const auto& [name, members] : members_)
      compare(name, members);
    for (const auto& [rank, dump] : by_rank_)
      follow(rank, *dump);
    for (auto& [rank, stuck] : behind_)
      judge(rank, stuck);
    if (out_.stuck.empty() && !waits_for_a_missing_dump())
      blame_furthest_behind();
    if (out_.stuck.empty())
      find_ring();
    return std::move(out_);
  }

 private:
  std::string group_text(const std::string& name) const {
    const auto found = described_.find(name);
    return found == described_.end() || found->second.empty() ? "group " + name : found->second + " " + name;
  }

  // Finds members of groups that left no dump.
  void find_missing() {
    std::set<int> named;
    for (const auto& [name, members] : members_)
      named.insert(members.begin(), members.end());
    for (const int rank : named) {
      if (!by_rank_.contains(rank))
        out_.without_dump.push_back(rank);
    }
  }

  // Returns the pending operation of a rank with this number, or null.
  const PendingOp* pending(int rank, const std::string& group, int64_t sequence) const {
    const auto dump = by_rank_.find(rank);
    if (dump == by_rank_.end())
      return nullptr;
    for (const PendingOp& op : dump->second->pending) {
      if (!op.p2p && op.group == group && op.sequence == sequence)
        return &op;
    }
    return nullptr;
  }

  // Returns the state of a rank in a group, from its counters and its pending operations.
  Progress progress(const HangDump& dump, const std::string& group) const {
    Progress p;
    const auto status = dump.status.find(group);
    if (status != dump.status.end()) {
      p.last_asked = status->second.last_enqueued;
      if (status->second.last_completed >= 0)
        p.first_open = status->second.last_completed + 1;
    }
    int64_t first = -1;
    for (const PendingOp& op : dump.pending) {
      if (op.p2p || op.group != group)
        continue;
      if (first < 0 || op.sequence < first)
        first = op.sequence;
      p.last_asked = std::max(p.last_asked, op.sequence);
    }
    if (first >= 0)
      p.first_open = first;
    if (p.first_open < 0 && p.last_asked >= 0)
      p.first_open = p.last_asked + 1;
    return p;
  }

  // Notes the members of a group that lag behind its most advanced one.
  void compare(const std::string& group, const std::vector<int32_t>& members) {
    if (pairs_.contains(group) || members.size() < 2)
      return;
    std::map<int, Progress> all;
    Progress furthest;
    for (const int rank : members) {
      const auto dump = by_rank_.find(rank);
      if (dump == by_rank_.end())
        continue;
      const Progress p = progress(*dump->second, group);
      if (p.first_open < 0)
        continue;
      all[rank] = p;
      furthest.first_open = std::max(furthest.first_open, p.first_open);
      furthest.last_asked = std::max(furthest.last_asked, p.last_asked);
    }
    for (const auto& [rank, p] : all) {
      progress_[{rank, group}] = p;
      const bool completed_less = p.first_open < furthest.first_open;
      // Having requested fewer collectives matters only when other members wait in the missing one.
      const bool asked_less = p.last_asked < furthest.first_open && p.last_asked < furthest.last_asked;
      if (!completed_less && !asked_less)
        continue;
      note(rank, group, p, furthest, all);
    }
  }

  // Notes that a rank lags in a group, with the group in which it lags most.
  void note(
      int rank,
      const std::string& group,
      const Progress& p,
      const Progress& furthest,
      const std::map<int, Progress>& all) {
    const int64_t behind = std::max(furthest.first_open - p.first_open, furthest.last_asked - p.last_asked);
    StuckRank& stuck = behind_[rank];
    ++stuck.groups;
    if (stuck.rank >= 0 && stuck.behind >= behind)
      return;
    stuck.rank = rank;
    stuck.group = group_text(group);
    stuck.behind = behind;
    stuck.sequence = p.first_open;
    stuck.op.clear();
    stuck.waiting.clear();
    for (const auto& [other, progress] : all) {
      if (progress.first_open <= p.first_open && progress.last_asked <= p.last_asked)
        continue;
      stuck.waiting.push_back(other);
      const PendingOp* op = pending(other, group, p.first_open);
      if (op)
        stuck.op = op->op;
    }
    const PendingOp* own = pending(rank, group, p.first_open);
    if (own)
      stuck.op = own->op;
  }

  // Returns the global rank of the peer in "send 0->3", whose numbers count members of the group, or -1.
  int peer_of(const PendingOp& op) const {
    const bool sends = op.op.find("send") != std::string::npos;
    const size_t arrow = op.op.find(sends ? "->" : "<-");
    const auto members = members_.find(op.group);
    if (arrow == std::string::npos || members == members_.end())
      return -1;
    size_t member = 0;
    const char* begin = op.op.data() + arrow + 2;
    if (std::from_chars(begin, op.op.data() + op.op.size(), member).ec != std::errc())
      return -1;
    return member < members->second.size() ? members->second[member] : -1;
  }

  // Records the first operation that a rank waits for, and the ranks it waits for.
  void follow(int rank, const HangDump& dump) {
    if (dump.pending.empty())
      return;
    const PendingOp& first = dump.pending.front();
    const std::string what = first.op + " " + std::to_string(first.sequence);
    if (first.p2p) {
      const int peer = peer_of(first);
      if (peer >= 0)
        out_.waits.push_back({rank, peer, group_text(first.group), what});
      return;
    }
    const auto members = members_.find(first.group);
    if (members == members_.end())
      return;
    for (const int other : members->second) {
      if (other == rank)
        continue;
      const auto p = progress_.find({other, first.group});
      const bool lost = by_rank_.contains(other) && p == progress_.end() && !pairs_.contains(first.group);
      if (lost && std::ranges::find(out_.without_state, other) == out_.without_state.end())
        out_.without_state.push_back(other);
      const bool absent = lost || !by_rank_.contains(other);
      const bool late = p != progress_.end() &&
                        (p->second.last_asked < first.sequence || p->second.first_open < first.sequence);
      if (absent || late)
        out_.waits.push_back({rank, other, group_text(first.group), what});
    }
  }

  // Reports a lagging rank as stuck, unless it waits for another rank.
  void judge(int rank, StuckRank& stuck) {
    const HangDump& dump = *by_rank_[rank];
    const bool waits = std::ranges::any_of(out_.waits, [&](const WaitEdge& e) {
      return e.waits == rank;
    });
    if (waits)
      return;
    stuck.kind = dump.pending.empty() ? StuckKind::NotJoined : StuckKind::Stopped;
    out_.stuck.push_back(stuck);
  }

  // Returns whether ranks wait for a rank without a complete dump. Such a rank may explain all that wait, but
  // its state is not known.
  bool waits_for_a_missing_dump() const {
    return !out_.without_state.empty() || std::ranges::any_of(out_.waits, [&](const WaitEdge& e) {
      return !by_rank_.contains(e.for_rank);
    });
  }

  // Reports, when no lagging rank was found stuck, those that lag most among the ones that wait in a send or
  // receive, because a GPU may stop in one.
  void blame_furthest_behind() {
    int64_t most = 0;
    const auto in_pair = [&](int rank) {
      const HangDump& dump = *by_rank_[rank];
      return !dump.pending.empty() && dump.pending.front().p2p;
    };
    for (const auto& [rank, stuck] : behind_) {
      if (in_pair(rank))
        most = std::max(most, stuck.behind);
    }
    for (auto& [rank, stuck] : behind_) {
      if (!in_pair(rank) || stuck.behind < most)
        continue;
      stuck.kind = StuckKind::Stopped;
      out_.stuck.push_back(stuck);
    }
  }

  // Finds collectives of one group and number whose operations differ between members, or for reductions the
  // sizes. Other operations may differ in size.
  void find_mismatches() {
    std::map<std::pair<std::string, int64_t>, std::map<std::string, std::vector<int>>> seen;
    for (const auto& [rank, dump] : by_rank_) {
      for (const PendingOp& op : dump->pending) {
        if (op.p2p)
          continue;
        const bool even =
            op.op.find("reduce") != std::string::npos && op.op.find("scatter") == std::string::npos;
        seen[{op.group, op.sequence}][op.op + (even ? " " + op.input_sizes + " " + op.dtype : "")].push_back(
            rank);
      }
    }
    for (const auto& [place, versions] : seen) {
      if (versions.size() < 2)
        continue;
      OpMismatch m{group_text(place.first), place.second, "", {}};
      size_t fewest = SIZE_MAX;
      for (const auto& [op, ranks] : versions) {
        m.what += (m.what.empty() ? "" : "; ") + op + " on rank";
        for (size_t i = 0; i < std::min<size_t>(ranks.size(), 8); ++i)
          m.what += " " + std::to_string(ranks[i]);
        if (ranks.size() < fewest)
          m.ranks = ranks;
        fewest = std::min(fewest, ranks.size());
      }
      out_.mismatches.push_back(std::move(m));
    }
  }

  // Finds a cycle by following the first edge of each waiting rank until a rank repeats.
  void find_ring() {
    std::map<int, int> next;
    for (const WaitEdge& e : out_.waits)
      next.emplace(e.waits, e.for_rank);
    for (const auto& [start, unused] : next) {
      std::vector<int> path;
      int at = start;
      while (next.contains(at) && std::ranges::find(path, at) == path.end()) {
        path.push_back(at);
        at = next[at];
      }
      const auto again = std::ranges::find(path, at);
      if (again == path.end())
        continue;
      out_.ring.assign(again, path.end());
      return;
    }
  }

  std::map<int, const HangDump*> by_rank_;
  std::set<std::string> pairs_;  // groups that send and receive
  std::map<std::string, std::vector<int32_t>> members_;
  std::map<std::string, std::string> described_;
  std::map<std::pair<int, std::string>, Progress> progress_;
  std::map<int, StuckRank> behind_;
  HangAnalysis out_;
};

}  // namespace

HangAnalysis analyse_hang(const std::vector<HangDump>& dumps) {
  return Hang(dumps).run();
}

}  // namespace lento::fleet::ranks

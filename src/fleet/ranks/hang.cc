// Finds the ranks that hold up a job that hangs. All members of a group perform the same collectives in the
// same order, so their numbers compare: a rank that has completed or requested less than another member is
// behind. Being behind does not suffice, because a rank that waits in another group is behind too. The first
// incomplete operation of a rank is the one it waits for, and a rank that waits there for an absent member is
// no culprit. The rest are those that wait for nothing (the process stopped before the request) and those
// whose group has completed an operation that they have not (the GPU stopped).
//
// Groups that also send and receive count both on one counter, so their numbers do not compare, and they are
// left out.
#include "fleet/ranks/hang.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace lento::fleet::ranks {
namespace {

// The state of a rank in a group: the first number that it has not completed, and the last one that it
// requested.
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

  // Finds ranks that are behind in some group and those that wait for them.
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

  // Returns how far a rank has come in a group: last enqueued and first open operation.
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

  // Compares the members of a group and notes those behind the furthest.
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
      // A smaller request only matters when the others wait for it.
      const bool asked_less = p.last_asked < furthest.first_open && p.last_asked < furthest.last_asked;
      if (!completed_less && !asked_less)
        continue;
      note(rank, group, p, furthest, all);
    }
  }

  // Notes that a rank is behind in a group.
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

  // Returns the global rank of "send 0->3", which counts members of the group.
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

  // Decides about a rank that is behind: when it waits for another rank, it is no cause.
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

  // A rank without a dump, or whose dump is not whole, that others wait for explains them all, and its own
  // state is not known.
  bool waits_for_a_missing_dump() const {
    return !out_.without_state.empty() || std::ranges::any_of(out_.waits, [&](const WaitEdge& e) {
      return !by_rank_.contains(e.for_rank);
    });
  }

  // When all ranks that are behind wait for a send or receive as well (a GPU may stop in one), the one
  // furthest behind is the culprit.
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

  // Finds operations or sizes that differ at one number of one group. Uneven exchanges have uneven sizes by
  // design.
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

  // Follows the first edge of any waiting rank until one repeats.
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

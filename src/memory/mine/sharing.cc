// Classifies a hot line as false sharing, true sharing or lock. Uses are gathered into byte ranges with a
// sorted list of threads each, so that the conflicting pairs of two ranges are products of sums minus the
// pairs of one thread with itself. Cost: the square of the number of ranges of a line. Method: sharing.h.
#include "memory/mine/sharing.h"

#include <algorithm>
#include <map>
#include <set>

#include "memory/mine/tuning.h"

namespace lento::memory {
namespace {

// The uses of one byte range, with the sums over threads that pair counts need.
struct Range {
  uint32_t offset = 0;
  uint32_t size = 0;
  std::vector<const Use*> uses;  // by actor
  double reads = 0;
  double writes = 0;
  int64_t user = 0;  // main_user()
};

constexpr int64_t kReadByAll = -1;
constexpr int64_t kWrittenByAll = -2;

// Returns the thread that has more than half of the range's accesses, or kReadByAll or kWrittenByAll.
int64_t main_user(const Range& range) {
  const auto accesses = [](const Use* use) {
    return use->looks() + use->writes;
  };
  const auto most = std::ranges::max_element(range.uses, {}, accesses);
  if (2.0 * double(accesses(*most)) > range.reads + range.writes)
    return (*most)->actor;
  const double all = range.reads + range.writes;
  return range.writes >= tuning::kWriteShare * all ? kWrittenByAll : kReadByAll;
}

// Returns the distinct byte ranges in use on a line, with their uses.
std::vector<Range> ranges_of(const Line& line) {
  std::vector<Range> out;
  for (const Use& use : line.uses) {
    if (out.empty() || out.back().offset != use.offset || out.back().size != use.size)
      out.push_back({use.offset, use.size, {}, 0, 0});
    out.back().uses.push_back(&use);
    out.back().reads += double(use.looks());
    out.back().writes += double(use.writes);
  }
  for (Range& range : out)
    range.user = main_user(range);
  return out;
}

// A load that found the line modified elsewhere proves a write, although stores are often not sampled.
double readers_that_conflict(const Use& use) {
  return double(use.peers);
}

// Counts the conflicting pairs of uses by different threads between two ranges, or within one: w w' + w r' +
// r w', with w and r the numbers of writes and reads. With `by_peers`, it counts the loads that another cache
// answered.
double conflicts(const Range& a, const Range& b, bool same, bool by_peers) {
  double pairs = by_peers ? 0 : a.writes * (b.writes + b.reads) + a.reads * b.writes;
  if (by_peers) {
    double peers_a = 0;
    double peers_b = 0;
    for (const Use* u : a.uses)
      peers_a += readers_that_conflict(*u);
    for (const Use* u : b.uses)
      peers_b += readers_that_conflict(*u);
    pairs = peers_a * peers_b;
  }
  // Subtracts the pairs of one thread with itself.
  size_t j = 0;
  for (const Use* u : a.uses) {
    while (j < b.uses.size() && b.uses[j]->actor < u->actor)
      ++j;
    if (j == b.uses.size())
      break;
    if (b.uses[j]->actor != u->actor)
      continue;
    const double wa = double(u->writes);
    const double ra = double(u->looks());
    const double wb = double(b.uses[j]->writes);
    const double rb = double(b.uses[j]->looks());
    pairs -=
        by_peers ? readers_that_conflict(*u) * readers_that_conflict(*b.uses[j]) : wa * (wb + rb) + ra * wb;
  }
  return std::max(0.0, same ? pairs / 2 : pairs);
}

bool touch(const Range& a, const Range& b) {
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

// Counts the conflicting pairs of accesses on a line. Of them it computes the share that touches common
// bytes, and the share that would remain if each word were on a line with the other words of its main user.
void weigh_conflicts(Line& line) {
  const std::vector<Range> ranges = ranges_of(line);
  const bool by_peers = line.writes == 0;
  double all = 0;
  double common = 0;
  double kept = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    for (size_t j = i; j < ranges.size(); ++j) {
      const double pairs = conflicts(ranges[i], ranges[j], i == j, by_peers);
      all += pairs;
      if (touch(ranges[i], ranges[j]))
        common += pairs;
      if (ranges[i].user == ranges[j].user || touch(ranges[i], ranges[j]))
        kept += pairs;
    }
  }
  line.conflicts = all;
  line.overlap = all > 0 ? common / all : 0;
  line.kept = all > 0 ? kept / all : 0;
}

// The loads and stores of one thread to a word.
struct Part {
  double reads = 0;
  double writes = 0;
};

// Computes the share of conflicting pairs within 8-byte words by which data moves in one direction, from a
// storing to a loading thread (sharing.h). Threads are sorted by falling ratio of stores to loads, so that
// each thread mostly loads what earlier ones store, and prefix sums suffice.
void weigh_ways(Line& line) {
  constexpr uint32_t kWord = 8;
  std::map<uint32_t, std::map<uint32_t, Part>> words;  // by word and actor
  for (const Use& use : line.uses) {
    Part& part = words[use.offset / kWord][use.actor];
    part.reads += double(use.reads);
    part.writes += double(use.writes);
  }
  double all = 0;
  double one_way = 0;
  for (const auto& [word, by_actor] : words) {
    std::vector<Part> parts;
    for (const auto& [actor, part] : by_actor)
      parts.push_back(part);
    std::ranges::sort(parts, [](const Part& a, const Part& b) {
      return a.writes * b.reads > b.writes * a.reads;
    });
    Part before;
    double moved = 0;
    double pairs = 0;
    for (const Part& part : parts) {
      moved += before.writes * part.reads - before.reads * part.writes;
      pairs += before.writes * (part.writes + part.reads) + before.reads * part.writes;
      before.reads += part.reads;
      before.writes += part.writes;
    }
    line.moved += moved > tuning::kKept * pairs;
    one_way += moved;
    all += pairs;
  }
  line.one_way = all > 0 ? one_way / all : 0;
}

// Returns whether data goes through the line from those who store it to one reader each.
bool is_handed_on(const Line& line) {
  double fetched = 0;
  for (const Use& use : line.uses)
    fetched += double(use.slow) * double(use.reads) / double(std::max<uint64_t>(1, use.accesses()));
  return line.moved > 1 && line.one_way > tuning::kKept && fetched <= double(line.writes);
}

// Sums the uses of a line, and counts the threads that access it and those that write it.
void add_sums(Line& line) {
  struct Actor {
    uint64_t accesses = 0;
    uint16_t cpu = 0;
  };
  std::map<uint32_t, Actor> actors;
  std::set<uint32_t> writers;
  for (const Use& use : line.uses) {
    line.excess += use.excess;
    line.accesses += use.accesses();
    line.high += use.high;
    line.slow += use.slow;
    line.writes += use.writes;
    line.atomics += use.atomics;
    line.guarded += use.guarded;
    line.peers += use.peers;
    line.remote_peers += use.remote_peers;
    actors[use.actor].accesses += use.looks() + use.writes;
    actors[use.actor].cpu = use.cpu;
    if (use.writes > 0)
      writers.insert(use.actor);
  }
  line.actors = actors.size();
  line.writers = writers.size();
  uint64_t most = 0;
  for (const auto& [number, actor] : actors)
    most = std::max(most, actor.accesses);
  for (const auto& [number, actor] : actors) {
    if (double(actor.accesses) < tuning::kWorkingShare * double(most))
      continue;
    ++line.users;
    line.cpus.add(actor.cpu);
  }
}

}  // namespace

const char* name(Cause cause) {
  switch (cause) {
    case Cause::None:
      return "";
    case Cause::FalseSharing:
      return "false sharing";
    case Cause::TrueSharing:
      return "true sharing";
    case Cause::Lock:
      return "lock";
    case Cause::Bank:
      return "bank or set conflict";
    case Cause::SetConflict:
      return "set conflict";
    case Cause::Capacity:
      return "capacity";
    case Cause::Remote:
      return "remote memory";
    case Cause::Bandwidth:
      return "saturation";
    case Cause::Fetch:
      return "fetch conflict";
    case Cause::Translation:
      return "address translation";
    case Cause::HandOver:
      return "hand-over";
  }
  return "";
}

std::string next_step(Cause cause) {
  switch (cause) {
    case Cause::FalseSharing:
      return "give each thread's data a line of its own (pad or align the struct)";
    case Cause::Lock:
      return "hold the lock for less work, split it, or back off between tries";
    case Cause::TrueSharing:
      return "let each thread work on its own copy and combine at the end; padding does not help";
    case Cause::Bank:
      return "spread the arrays over banks: pad their stride";
    case Cause::SetConflict:
      return "pad the stride by a line, so that the rows fall into different sets";
    case Cause::Capacity:
      return "work on blocks that fit the cache, or on smaller elements";
    case Cause::Translation:
      return "use huge pages (madvise MADV_HUGEPAGE), or lay what is used together on fewer pages";
    case Cause::Remote:
      return "place the memory on the node that uses it: touch it first there, or interleave it";
    case Cause::HandOver:
      return "hand over more at a time";
    case Cause::Fetch:
      return "make the hot code fit the instruction cache";
    default:
      return "move fewer bytes at the same time, or add bandwidth";
  }
}

bool is_guarded(const Line& line) {
  return 2 * line.guarded > line.accesses;
}

bool is_taken_once(const Line& line) {
  std::set<uint32_t> delayed;
  for (const Use& use : line.uses) {
    if (use.slow > 0)
      delayed.insert(use.actor);
  }
  return delayed.size() == 1 && line.slow <= tuning::kMeetingsALine;
}

void judge(Line& line) {
  add_sums(line);
  if (line.actors < 2 || line.accesses == 0)
    return;
  weigh_conflicts(line);
  const double total = double(line.accesses);
  const bool written = double(line.writes) >= tuning::kWriteShare * total;
  if (line.conflicts == 0 || (!written && line.peers == 0))
    return;
  const LockUse lock = lock_use(line);
  if (double(lock.accesses) >= tuning::kLockShare * total || 2 * lock.excess > line.excess) {
    line.cause = Cause::Lock;
  } else {
    const bool shared = line.overlap >= tuning::kOverlap || line.kept > tuning::kKept || is_guarded(line);
    weigh_ways(line);
    line.cause = !shared ? Cause::FalseSharing : is_handed_on(line) ? Cause::HandOver : Cause::TrueSharing;
  }
}

std::vector<Line> lines_of(const HotBlock& block, uint32_t line_bytes, bool all) {
  std::map<uint32_t, Line> lines;
  for (const auto& [key, use] : block.uses) {
    const uint32_t number = use.offset / line_bytes;
    Line& line = lines[number];
    line.uses.push_back(use);
    line.uses.back().offset = use.offset % line_bytes;
  }
  std::vector<Line> out;
  for (auto& [number, line] : lines) {
    line.process = block.key.process;
    line.address = block.key.block * tuning::kBlockBytes + uint64_t{number} * line_bytes;
    std::ranges::sort(line.uses, [](const Use& a, const Use& b) {
      if (a.offset != b.offset)
        return a.offset < b.offset;
      if (a.size != b.size)
        return a.size < b.size;
      return a.actor < b.actor;
    });
    judge(line);
    if (all && line.cause != Cause::None && is_taken_once(line))
      line.cause = Cause::HandOver;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace lento::memory

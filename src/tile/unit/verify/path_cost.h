// The cost of the paths through a piece of a tile program: tile cycles, bytes of output, inputs that hist.in
// takes, and changes of the tracked cells (Tracked). Costs add up along a path. Over several paths each cost
// is the worst.
//
// An input that comes while hist.in waits is taken and not lost. When hist.in completes, it frees its input
// registers, so that the next input is kept there for the next hist.in, and only further ones are lost. The
// cycles between the hist.in of a path are therefore bounded separately, each as the most over all paths
// (kNone: no path has such a stretch):
//   through  a path without hist.in      lead  up to the first hist.in
//   gap      between two hist.in         tail  after the last hist.in
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lento::tile {

// Bounds by how much a tracked cell (Tracked) changes along a path: a counter by so many counts, a clock by
// so many tile cycles.
struct Change {
  int64_t low = 0;
  int64_t high = 0;
  auto operator<=>(const Change&) const = default;
};

// A kind of run: the paths on which the tracked cells have the same `changes`, in the order of
// ExploreOptions::tracked. `cycles` and `bytes` of output are the most that one of these paths takes.
struct RunKind {
  std::vector<Change> changes;
  uint64_t cycles = 0;
  uint64_t bytes = 0;
};

// A Change with low <= -kMostChange has no lower bound, one with high >= kMostChange no upper bound.
inline constexpr int64_t kMostChange = int64_t{1} << 40;

struct PathCost {
  static constexpr int64_t kNone = -1;
  // A region that may take more cycles than this counts as unbounded (550 s at 2 GHz). The limit keeps every
  // sum here inside 64 bits.
  static constexpr uint64_t kMost = uint64_t{1} << 40;
  static constexpr size_t kMostKinds = 32;

  uint64_t worst = 0;  // most tile cycles
  uint64_t best = 0;   // least tile cycles
  uint64_t busy = 0;   // most cycles outside hist.in
  uint64_t bytes = 0;  // most bytes of output
  // At least one and at most kMostKinds kinds when cells are tracked, else empty.
  std::vector<RunKind> kinds;
  // Tile cycles that the worst path spends at each instruction (index: pc / 4). Empty unless
  // ExploreOptions::profile is set.
  std::vector<uint64_t> profile;
  uint64_t streamed = 0;        // most inputs that hist.in takes
  uint64_t streamed_least = 0;  // least inputs that hist.in takes
  int64_t through = 0;
  int64_t lead = kNone;
  int64_t gap = kNone;
  int64_t tail = kNone;
  // Some hist.in reads only a part of the IORegs that the image uses. Inputs of the others are lost while it
  // waits.
  bool partial = false;

  // Returns the cost of one hist.in: 1 cycle, because the wait for its inputs is not counted. `partial` sets
  // the member of that name.
  static PathCost hist_in(bool partial) {
    PathCost out;
    out.worst = out.best = out.streamed = out.streamed_least = 1;
    out.through = kNone;
    out.lead = out.tail = 0;
    out.partial = partial;
    return out;
  }

  // Adds cycles that the path spends outside hist.in.
  void add_cycles(uint64_t more_at_worst, uint64_t more_at_best) {
    worst += more_at_worst;
    busy += more_at_worst;
    best += more_at_best;
    for (RunKind& kind : kinds)
      kind.cycles += more_at_worst;
    const auto more = int64_t(more_at_worst);
    through = sum(through, more);
    tail = sum(tail, more);
  }

  void add_bytes(uint64_t more) {
    bytes += more;
    for (RunKind& kind : kinds)
      kind.bytes += more;
  }

  void add_change(size_t tracked, Change change) {
    for (RunKind& kind : kinds)
      kind.changes[tracked] = sum(kind.changes[tracked], change);
  }

  // Makes this the cost of a path and of `next` after it.
  void add(const PathCost& next) {
    worst += next.worst;
    best += next.best;
    busy += next.busy;
    bytes += next.bytes;
    append_kinds(next.kinds);
    for (size_t i = 0; i < next.profile.size(); ++i)
      profile[i] += next.profile[i];
    streamed += next.streamed;
    streamed_least += next.streamed_least;
    gap = std::max({gap, next.gap, sum(tail, next.lead)});
    lead = std::max(lead, sum(through, next.lead));
    tail = std::max(next.tail, sum(tail, next.through));
    through = sum(through, next.through);
    partial |= next.partial;
  }

  // Returns the cost of `least` to `most` repetitions of this piece of a program, which has a single path.
  PathCost repeated(uint64_t most, uint64_t least) const {
    PathCost out = *this;
    out.worst *= most;
    out.busy *= most;
    out.bytes *= most;
    out.streamed *= most;
    out.best *= least;
    out.streamed_least *= least;
    for (RunKind& kind : out.kinds) {
      kind.cycles *= most;
      kind.bytes *= most;
      for (Change& c : kind.changes)
        c = {times(c.low, c.low < 0 ? most : least), times(c.high, c.high > 0 ? most : least)};
    }
    for (uint64_t& cycles : out.profile)
      cycles *= most;
    if (most > 1)
      out.gap = std::max(gap, sum(tail, lead));
    if (through != kNone)
      out.through *= int64_t(most);
    return out;
  }

  // Returns a cost that covers both a and b: the larger of each number, the smaller of each lower bound
  // (best, streamed_least), and the union of their sets of kinds of run, which are ways in which main ends.
  static PathCost worst_of(const PathCost& a, const PathCost& b) {
    PathCost out;
    out.worst = std::max(a.worst, b.worst);
    out.best = std::min(a.best, b.best);
    out.busy = std::max(a.busy, b.busy);
    out.bytes = std::max(a.bytes, b.bytes);
    out.kinds = a.kinds;
    for (const RunKind& kind : b.kinds)
      add_kind(out.kinds, kind);
    out.profile = a.worst >= b.worst ? a.profile : b.profile;
    out.streamed = std::max(a.streamed, b.streamed);
    out.streamed_least = std::min(a.streamed_least, b.streamed_least);
    out.through = std::max(a.through, b.through);
    out.lead = std::max(a.lead, b.lead);
    out.gap = std::max(a.gap, b.gap);
    out.tail = std::max(a.tail, b.tail);
    out.partial = a.partial || b.partial;
    return out;
  }

  // Returns the smallest distance of inputs, in tile cycles, at which main loses none, or UINT64_MAX when
  // `partial`. The input that starts main stays in its registers until the first hist.in takes it, so the
  // next one must come after that. An input that comes after the last hist.in is lost when main returns.
  uint64_t lossless_period() const {
    if (partial)
      return UINT64_MAX;
    int64_t most = std::max({through, lead, gap}) + 1;
    if (tail != kNone)
      most = std::max(most, lead + tail + 2);
    return uint64_t(most);
  }

 private:
  static int64_t sum(int64_t a, int64_t b) {
    return a == kNone || b == kNone ? kNone : a + b;
  }
  // The next three functions return sums and products of bounds of a Change. bounded() returns `result`, the
  // sum of a and b, clamped to the range from -kMostChange to kMostChange. An operand or product that reaches
  // the limit makes the result stay at the limit of that sign, because it stands for no bound.
  static int64_t bounded(int64_t a, int64_t b, int64_t result) {
    const int64_t far = std::abs(a) >= kMostChange ? a : std::abs(b) >= kMostChange ? b : result;
    return std::clamp(far, -kMostChange, kMostChange);
  }
  static Change sum(const Change& a, const Change& b) {
    return {bounded(a.low, b.low, a.low + b.low), bounded(a.high, b.high, a.high + b.high)};
  }
  static int64_t times(int64_t v, uint64_t n) {
    const double product = double(v) * double(n);
    return std::abs(product) >= double(kMostChange) ? (v > 0 ? kMostChange : -kMostChange) : v * int64_t(n);
  }

  // Adds `kind` to `kinds`, merged with the kind of equal changes when there is one. When there are
  // kMostKinds kinds already, the last of them is widened so that it includes `kind`.
  static void add_kind(std::vector<RunKind>& kinds, const RunKind& kind) {
    auto at = std::ranges::find(kinds, kind.changes, &RunKind::changes);
    if (at == kinds.end() && kinds.size() < kMostKinds)
      return kinds.push_back(kind);
    if (at == kinds.end()) {
      at = std::prev(kinds.end());
      for (size_t i = 0; i < kind.changes.size(); ++i) {
        at->changes[i].low = std::min(at->changes[i].low, kind.changes[i].low);
        at->changes[i].high = std::max(at->changes[i].high, kind.changes[i].high);
      }
    }
    at->cycles = std::max(at->cycles, kind.cycles);
    at->bytes = std::max(at->bytes, kind.bytes);
  }

  void append_kinds(const std::vector<RunKind>& next) {
    std::vector<RunKind> out;
    for (const RunKind& first : kinds) {
      for (const RunKind& second : next) {
        RunKind both = first;
        both.cycles += second.cycles;
        both.bytes += second.bytes;
        for (size_t i = 0; i < both.changes.size(); ++i)
          both.changes[i] = sum(both.changes[i], second.changes[i]);
        add_kind(out, both);
      }
    }
    if (!next.empty())
      kinds = std::move(out);
  }
};

}  // namespace lento::tile

// Abstract execution of one region (init, main or finish) of a tile program, on which verify() rests.
#pragma once

#include <bitset>
#include <compare>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "tile/unit/isa.h"
#include "tile/unit/verify/known_words.h"
#include "tile/unit/verify/path_cost.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct Program {
  const Image& image;
  std::vector<TileOp> code;
  std::vector<uint32_t> meets;           // post_dominators(code)
  std::vector<uint32_t> loops;           // loops_of(code)
  std::vector<bool> in_body;             // by instruction: inside a hardware loop
  std::vector<DataObject> objects = {};  // by address; none: accesses are bounded by the scratchpad alone
};

enum class RegionKind : uint8_t {
  Init,
  Main,
  Finish
};

// A word of the scratchpad that bounds output over many runs. Every path adds its bytes and the change of a
// potential, in parts of a byte, and the worst path is what a run costs over many.
//   Value    the potential is weight times the word: a summary every 256 runs, by a counter that then falls
//            from 256 to 0, costs each run its 256th part. A negative weight is for a counter that falls
//   Masked   weight times ((word - residue) & mask), for a counter that runs on and is tested by its low bits
//   Window   the word is only ever set to the arrival shifted right, and a path that saw it differ from that
//            gives `weight` back. It can do so once in `period` = 2^shift cycles, and once more
//   Elapsed  the same for a word that is set to the arrival when `period` cycles or more went by since
struct Counter {
  enum class Kind : uint8_t {
    Value,
    Masked,
    Window,
    Elapsed
  };
  Kind kind = Kind::Value;
  uint32_t address = 0;  // 0: none
  int64_t weight = 0;
  int64_t parts = 1;  // of a byte
  uint32_t mask = 0;
  uint32_t residue = 0;
  uint32_t period = 0;
};

// A word that is set to the arrival, and the time between two such stores that a path has tested.
struct TimeWord {
  uint32_t address = 0;
  uint32_t period = 0;
  Counter::Kind kind = Counter::Kind::Window;
  auto operator<=>(const TimeWord&) const = default;
};

// The paths that are kept apart. The fewer are joined, the more precise the result and the higher the cost.
enum class Join : uint8_t {
  AtMeeting,  // where the two ways of a branch meet
  AfterLoop,  // the same, but not inside the loop that the branch stands in
  AtEnd       // where the function returns; results of comparisons are told apart too
};

struct ExploreOptions {
  Counter counter;
  Join join = Join::AtMeeting;
  bool split = false;    // AtEnd: each value of `input & m`, m at most kMostSplit, has a path of its own
  bool profile = false;  // PathCost::profile
};

struct Exploration {
  PathCost cost;  // from the first fetch to the return
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
  KnownWords words;             // at the return
  std::set<uint32_t> compared;  // constants that branches compare with
  std::set<TimeWord> time_words;
  std::set<uint32_t> changed;  // words at known places that were stored to, other than the stack's
  std::bitset<KnownWords::kPages> looked_at;  // pages with words that were loaded and not known
};

struct Stopped {};   // thrown when the user asked to stop
struct OutOfSteps {  // thrown when the budget is used up
  uint32_t pc = 0;
};

struct Region {
  const Program& program;
  RegionKind kind;
  const KnownWords& start;  // the scratchpad when the region begins
};

// Explores a region. `budget` holds the steps left, and used steps are subtracted. Throws Violation, Stopped
// or OutOfSteps.
Exploration explore(
    const Region& region,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress);

}  // namespace lento::tile

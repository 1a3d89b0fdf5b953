// Executes one region (init, main or finish) of a tile program on abstract values. verify() is built on it.
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
  std::vector<bool> in_body;             // by instruction: inside a hardware loop
  std::vector<uint32_t> ends;            // constants_of(code)
  std::vector<DataObject> objects = {};  // by address; none: accesses are bounded by the scratchpad alone
};

enum class RegionKind : uint8_t {
  Init,
  Main,
  Finish
};

// A cell of the scratchpad (known_words.h) that bounds main's output bytes, or its cycles, over many runs, by
// amortised analysis with a potential. The amortised cost of a path is its bytes or cycles plus the change of
// the potential, in units of 1 / parts byte or cycle. The potential is bounded, so the mean of many runs is
// at most the highest amortised cost of a path. Kinds of potential:
//   Count    weight * ((cell - residue) & mask). When a counter that falls from 255 to 0 triggers a summary,
//            each of the 256 runs has 1/256 of the summary's cost. The weight is negative for a counter that
//            counts down. The mask selects the low bits that a program tests of a free-running counter
//   Window   The cell is only ever set to the input's arrival time in one form: shifted right, or with low
//            bits cleared. `weight` is subtracted from the cost of a path that finds the cell different from
//            that form of the present arrival time. In n periods of `period` = 2^shift cycles that happens at
//            most n + 1 times
//   Elapsed  The same for a cell that is set to the arrival time, or to a deadline `ahead` cycles later, on a
//            path that finds at least `period` cycles passed since that time
struct Counter {
  enum class Kind : uint8_t {
    Count,
    Window,
    Elapsed
  };
  Kind kind = Kind::Count;
  uint32_t cell = 0;  // 0: none
  int64_t weight = 0;
  int64_t parts = 1;  // costs are in units of 1 / parts byte or cycle
  uint32_t mask = 0;
  uint32_t residue = 0;
  uint32_t period = 0;
  uint32_t form = 0;       // AbstractValue::time_shift of the stores
  uint32_t ahead = 0;      // AbstractValue::time_plus of the stores
  bool of_cycles = false;  // it bounds cycles, else bytes
};

// A scratchpad word that a path sets to the input's arrival time in the form of Counter::form and
// Counter::ahead. `period` is the time in cycles since the previous such store for which a path tests, 0 for
// none.
struct TimeWord {
  uint32_t cell = 0;
  uint32_t period = 0;
  uint32_t form = 0;
  uint32_t ahead = 0;
  auto operator<=>(const TimeWord&) const = default;
};

// Where the two paths of a branch are joined. Joining later is more precise and costs more steps.
enum class Join : uint8_t {
  AtMeeting,  // at the immediate post-dominator of the branch
  AtEnd       // where the function returns; results of comparisons are separate paths too
};

struct ExploreOptions {
  Counter counter;
  Join join = Join::AtMeeting;
  bool profile = false;  // PathCost::profile
};

struct Exploration {
  PathCost cost;  // from the first fetch to the return
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
  KnownWords words;  // the scratchpad at the return
  std::set<TimeWord> time_words;
  std::set<uint32_t> changed;  // cells that were stored to and tested or masked, without the stack
  std::bitset<KnownWords::kPages> looked_at;  // pages from which unknown words were loaded
};

struct Stopped {};   // thrown when the user requested a stop
struct OutOfSteps {  // thrown when the step budget is used up
  uint32_t pc = 0;
};

[[noreturn]] inline void reject(Rule rule, uint32_t pc, const std::string& text) {
  throw Violation{rule, pc, text};
}

struct Region {
  const Program& program;
  RegionKind kind;
  const KnownWords& start;  // the scratchpad at the begin of the region
};

// Explores a region. `budget` holds the remaining steps and is reduced by the used ones. Throws Violation,
// Stopped or OutOfSteps.
Exploration explore(
    const Region& region,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress);

}  // namespace lento::tile

// Executes one region (init, main or finish) of a tile program on abstract values. verify() is built on it.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "tile/unit/isa.h"
#include "tile/unit/verify/control_flow.h"
#include "tile/unit/verify/path_cost.h"
#include "tile/unit/verify/scratchpad.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct Program {
  const Image& image;
  std::vector<TileOp> code;
  VisitOrder order;
  std::vector<bool> in_body;             // by instruction: inside a hardware loop
  std::vector<uint32_t> ends;            // constants_of(code)
  std::vector<DataObject> objects = {};  // by address; none: accesses are bounded by the scratchpad alone
};

enum class RegionKind : uint8_t {
  Init,
  Main,
  Finish
};

// A tracked cell: a cell of the scratchpad whose change over a run of main is recorded (Change), because over
// many runs it cannot go on changing in one direction (amortise.h).
//   counter  (value - residue) & mask, where mask is 2^n - 1. Its changes over many runs sum to about 0
//   clock    a cell in which main stores an input's arrival time in the form of the term `clock`: unchanged,
//            shifted right, with low bits cleared, or with a constant added (a deadline). The recorded change
//            is in tile cycles, and over many runs at most those that pass. After a store of anything else
//            the change counts as unbounded
struct Tracked {
  uint32_t cell = 0;
  uint32_t mask = 0;
  uint32_t residue = 0;
  Term clock;  // number 0: a counter
  auto operator<=>(const Tracked&) const = default;
};

// When paths are joined. A later join is more precise and costs more steps.
enum class Join : uint8_t {
  AtMeeting,  // at each instruction that they reach in the same rounds of its loops
  AtEnd       // at the function's return; results 0 and 1 of slt and the like are paths too
};

struct ExploreOptions {
  Join join = Join::AtMeeting;
  bool profile = false;               // PathCost::profile
  std::vector<Tracked> tracked = {};  // the cells of PathCost::kinds, in this order
};

struct Exploration {
  PathCost cost;  // from the first fetch to the return
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
  Scratchpad words;                           // the scratchpad at the return
  std::set<Tracked> tracked;                  // cells, without the stack, whose change may be worth recording
  std::bitset<Scratchpad::kPages> looked_at;  // pages from which unknown words were loaded
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
  const Scratchpad& start;  // the scratchpad at the begin of the region
};

// Explores a region. `budget` holds the steps (kStepLimit) that may still be used, and is reduced by those
// that were. Throws Violation when the region breaks a rule, Stopped when the user requested a stop, and
// OutOfSteps when the budget is too small.
Exploration explore(
    const Region& region,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress);

}  // namespace lento::tile

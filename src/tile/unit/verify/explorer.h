// Executes one region (init, main or finish) of a tile program on abstract values. verify() is built on it.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "tile/unit/isa.h"
#include "tile/unit/verify/path_cost.h"
#include "tile/unit/verify/scratchpad.h"
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

// A cell of the scratchpad of which the change over a run is recorded (Change), because many runs together
// cannot change it for ever (amortise.h).
//   counter  (cell - residue) & mask, where mask is low bits. It stays where it is on average
//   clock    a cell that is set to the form `clock` of an input's arrival time: shifted right, with low bits
//            cleared, or with a constant added as a deadline. Its recorded change is in cycles, at most those
//            that pass. A store of anything else counts as -kMostChange
struct Tracked {
  uint32_t cell = 0;
  uint32_t mask = 0;
  uint32_t residue = 0;
  Term clock;  // number 0: a counter
  auto operator<=>(const Tracked&) const = default;
};

// Where the two paths of a branch are joined. Joining later is more precise and costs more steps.
enum class Join : uint8_t {
  AtMeeting,  // at the immediate post-dominator of the branch
  AtEnd       // where the function returns; results of comparisons are separate paths too
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

// Explores a region. `budget` holds the remaining steps and is reduced by the used ones. Throws Violation,
// Stopped or OutOfSteps.
Exploration explore(
    const Region& region,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress);

}  // namespace lento::tile

// Abstract execution of one region (init, main or finish) of a tile program, on which verify() rests.
#pragma once

#include <bitset>
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

// A word of the scratchpad that bounds output over many runs: each step up costs `weight` parts of a byte,
// and each step down returns it. A summary that is put out every 256 runs, by a counter that then falls from
// 256 to 0, therefore costs each run its 256th part.
struct Counter {
  uint32_t address = 0;  // 0: none
  int64_t weight = 0;    // negative for a counter that falls
  int64_t parts = 1;     // of a byte
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
  bool profile = false;  // PathCost::profile
};

struct Exploration {
  PathCost cost;  // from the first fetch to the return
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
  KnownWords words;             // at the return
  std::set<uint32_t> compared;  // constants that branches compare with
  std::set<uint32_t> changed;   // words at known places that were stored to, other than the stack's
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

// Abstract execution of one region (init, main or finish) of a tile program: what verify() rests on.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "tile/unit/isa.h"
#include "tile/unit/path_cost.h"
#include "tile/unit/verify.h"

namespace lento::tile {

struct Program {
  const Image& image;
  std::vector<TileOp> code;
  std::vector<uint32_t> meets;  // post_dominators(code)
  std::vector<bool> in_body;    // by instruction: inside a hardware loop
};

enum class RegionKind : uint8_t { Init, Main, Finish };

struct Exploration {
  PathCost cost;  // from the first fetch to the return
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
  std::set<uint32_t> unset_words;  // scratchpad words that may hold a register that was never set
};

struct Stopped {};  // thrown when the user asked to stop

// `stale`: the words that another run of main or finish may have left with such a register.
// Throws Violation, or Stopped.
Exploration explore(const Program& program, RegionKind kind, const std::set<uint32_t>& stale,
                    const base::Progress& progress);

}  // namespace lento::tile

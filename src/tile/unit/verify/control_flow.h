// The control-flow graph of a tile program, one node per instruction, and immediate post-dominators.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/unit/isa.h"

namespace lento::tile {

inline constexpr uint32_t kExit = UINT32_MAX;  // the end of the function

// Returns for every instruction the index (pc / 4) at which all paths from it meet again (immediate
// post-dominator), or kExit. A call continues with the next instruction and a return leaves the graph.
// Targets outside the code lead to kExit.
std::vector<uint32_t> post_dominators(const std::vector<TileOp>& code);

}  // namespace lento::tile

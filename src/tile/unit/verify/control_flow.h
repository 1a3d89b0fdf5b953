// The control-flow graph of a tile program, one node an instruction, and immediate post-dominators.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/unit/isa.h"

namespace lento::tile {

inline constexpr uint32_t kExit = UINT32_MAX;  // the end of the function

// Returns for every instruction index the index where all its paths meet again, or kExit. Calls continue with
// the next instruction and returns leave. Targets outside the code lead to kExit.
std::vector<uint32_t> post_dominators(const std::vector<TileOp>& code);

// Returns for every instruction index a number that it shares with exactly those instructions that it can
// reach and be reached from (the strongly connected components of the graph): its loop, with all nested
// loops.
std::vector<uint32_t> loops_of(const std::vector<TileOp>& code);

}  // namespace lento::tile

// The control-flow graph of a tile program, one node an instruction, and immediate post-dominators.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/unit/isa.h"

namespace lento::tile {

inline constexpr uint32_t kExit = UINT32_MAX;  // the end of the function

// For every instruction index the index where all its paths meet again, or kExit. Calls count as going on
// with the next instruction, returns as leaving; targets outside the code lead to kExit.
std::vector<uint32_t> post_dominators(const std::vector<TileOp>& code);

// For every instruction index a number that it shares with exactly those that it can reach and be reached
// from (the strongly connected parts of the graph): the loop, with all nested in it, that it stands in.
std::vector<uint32_t> loops_of(const std::vector<TileOp>& code);

}  // namespace lento::tile

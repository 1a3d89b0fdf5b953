// The control-flow graph of a tile program, one node per instruction, and an order in which to visit it.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/unit/isa.h"

namespace lento::tile {

inline constexpr uint32_t kExit = UINT32_MAX;  // outside of every hardware loop

// A weak topological order: each instruction comes after those that lead to it, except by a branch back to
// the head of a loop around both. The instructions of a loop are consecutive, its head first. All members
// have one entry for each instruction (pc / 4).
struct VisitOrder {
  std::vector<uint32_t> rank;                // place in the order
  std::vector<std::vector<uint32_t>> loops;  // heads of the loops around it, outermost first, with itself
  // Whether several paths may lead to it: from several instructions, around a loop, or out of one after any
  // of its rounds.
  std::vector<bool> meets;
};

// Returns the order for paths that begin at one of `entries` or at the target of a call. A call continues
// with the next instruction, and a return leads nowhere.
VisitOrder visit_order(const std::vector<TileOp>& code, const std::vector<uint32_t>& entries);

}  // namespace lento::tile

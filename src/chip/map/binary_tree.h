// The synthetic workload of SLOTH's evaluation: a binary tree of matrix products. The paper gives neither its
// size nor its mapping, so both are parameters.
#pragma once

#include <cstdint>
#include <string>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

struct BinaryTree {
  int depth = 4;    // levels; 2^depth - 1 cores work
  int size = 128;   // rows and columns of every matrix
  int passes = 64;  // products in one inference, which pass through the tree one after the other
  std::string placement =
      "compact";      // rows: level by level; compact: children next to their parents; scatter: by seed
  uint64_t seed = 1;  // of scatter
};

// Maps the tree. Leaves read two matrices from DRAM, every other node multiplies the results of its two
// children, and the root writes to DRAM. One layer per level, all in one segment. Throws base::Error when the
// tree has more nodes than the chip has cores.
Mapping map_binary_tree(const BinaryTree& tree, const spec::Chip& chip);

}  // namespace lento::chip

// Orders cores so that runs of the order are compact: the chip is halved across its longer side, each half
// again, and so on. Internal to the mapper.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/map/grid.h"

namespace lento::chip {

// The second half of a block is listed as the mirror image of the first. With a power of two of cores, the
// core at c ^ 2^b is the image of the one at c, in its row or column.
//
// Routes between two cores of one block stay inside it (x first, then y), so the traffic over the middle of a
// block is the traffic between its halves.
class BlockOrder {
 public:
  struct Middle {      // of the blocks that have been halved equally often
    double links = 1;  // in one direction, over the shortest of these middles
    double cores = 0;  // of one half, the largest
  };

  // With `rows_first`, square blocks are halved into upper and lower halves instead of left and right.
  BlockOrder(const Grid& grid, bool rows_first);

  const std::vector<Position>& cores() const {
    return cores_;
  }
  const std::vector<Middle>& middles() const {
    return middles_;
  }
  // Returns the index in middles() of the middle between two different places in the order.
  size_t middle_between(size_t a, size_t b) const;

 private:
  struct Block {
    // Measured in tiles.
    int x, y, width, height;
  };
  struct Turned {  // which halves come first: those on the right, those below
    bool x = false;
    bool y = false;
  };
  void halve(const Grid& grid, const Block& block, Turned turned, uint64_t path, size_t depth);

  const bool rows_first_;
  std::vector<Position> cores_;
  std::vector<uint64_t> paths_;  // bit 63: the first halving
  std::vector<Middle> middles_;
};

}  // namespace lento::chip

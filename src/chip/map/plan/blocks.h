// Orders cores so that runs of the order are compact: the chip is halved across its longer side, each half
// again, and so on. Internal to the mapper.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/map/grid.h"

namespace lento::chip {

// The order of cores, by halving blocks of cores. The second half of a block is listed as the mirror image of
// the first. With a power of two of cores, the core at c ^ 2^b is the image of the one at c, in its row or
// column.
//
// Routes between two cores of one block stay inside it (x first, then y), so the traffic over its middle, the
// line between its halves, is the traffic between the halves.
class BlockOrder {
 public:
  struct Middle {      // the middle lines of all blocks of one size
    double links = 1;  // links in one direction across the shortest of these lines
    double cores = 0;  // cores in the larger half
  };

  // With `rows_first`, square blocks are halved into an upper and a lower half instead of left and right.
  BlockOrder(const Grid& grid, bool rows_first);

  const std::vector<Position>& cores() const {
    return cores_;
  }
  const std::vector<Middle>& middles() const {
    return middles_;
  }
  // Returns the index in middles() of the middle line that separates two different positions in the order:
  // that of the smallest block with both.
  size_t middle_between(size_t a, size_t b) const;

 private:
  struct Block {
    // Measured in tiles.
    int x, y, width, height;
  };
  struct Turned {  // whether the right half comes first, and whether the lower half does
    bool x = false;
    bool y = false;
  };
  void halve(const Grid& grid, const Block& block, Turned turned, uint64_t path, size_t depth);

  const bool rows_first_;
  std::vector<Position> cores_;
  // The half that each core is in, one bit for each halving. Bit 63 is the first halving.
  std::vector<uint64_t> paths_;
  std::vector<Middle> middles_;
};

}  // namespace lento::chip

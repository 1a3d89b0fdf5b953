// Orders cores by halving the chip recursively across its longer side, the second half as the mirror image of
// the first. For each level it records the fewest links across the middle of a block, which bound exchanges
// between halves.
#include "chip/map/plan/blocks.h"

#include <algorithm>
#include <bit>

namespace lento::chip {

BlockOrder::BlockOrder(const Grid& grid, bool rows_first)
    : rows_first_(rows_first) {
  halve(grid, {0, 0, grid.width(), grid.height()}, {}, 0, 0);
}

// Halves a block of cores again and again and appends the cores in that order, so that neighbours in the
// list are neighbours on the chip.
void BlockOrder::halve(const Grid& grid, const Block& block, Turned turned, uint64_t path, size_t depth) {
  const auto [x, y, width, height] = block;
  if (width == 1 && height == 1) {
    if (grid.core({x, y}) < 0)
      return;
    cores_.push_back({x, y});
    paths_.push_back(path);
    return;
  }
  const bool across = width > height || (width == height && !rows_first_);
  const int half = (across ? width : height) / 2;
  if (middles_.size() <= depth)
    middles_.push_back({double(across ? height : width), 0});
  Block first = across ? Block{x, y, half, height} : Block{x, y, width, half};
  Block second = across ? Block{x + half, y, width - half, height} : Block{x, y + half, width, height - half};
  bool& mirrored = across ? turned.x : turned.y;
  if (mirrored)
    std::swap(first, second);
  const size_t before = cores_.size();
  halve(grid, first, turned, path, depth + 1);
  const size_t middle = cores_.size();
  mirrored = !mirrored;
  halve(grid, second, turned, path | uint64_t{1} << (63 - depth), depth + 1);
  Middle& at = middles_[depth];
  at.links = std::min(at.links, double(across ? height : width));
  at.cores = std::max(at.cores, double(std::max(middle - before, cores_.size() - middle)));
}

size_t BlockOrder::middle_between(size_t a, size_t b) const {
  return size_t(std::countl_zero(paths_[a] ^ paths_[b]));
}

}  // namespace lento::chip

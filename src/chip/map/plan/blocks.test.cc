// Runs of the order are compact, and what crosses the middle of a block is told by the order alone.
#include "chip/map/plan/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lento::chip {
namespace {

Grid mesh(int width, int height) {
  spec::Chip chip;
  chip.width = width;
  chip.height = height;
  return Grid(chip);
}

struct Extent {
  int width;
  int height;
};

Extent extent(const std::vector<Position>& cores, size_t begin, size_t count) {
  int left = INT32_MAX, right = 0, top = INT32_MAX, bottom = 0;
  for (size_t i = begin; i < begin + count; ++i) {
    left = std::min(left, cores[i].x);
    right = std::max(right, cores[i].x);
    top = std::min(top, cores[i].y);
    bottom = std::max(bottom, cores[i].y);
  }
  return {right - left + 1, bottom - top + 1};
}

TEST(BlockOrder, HoldsEveryCoreOnce) {
  for (const auto& [width, height] : {std::pair{8, 8}, {16, 16}, {5, 3}, {1, 7}, {6, 6}}) {
    const BlockOrder order(mesh(width, height), false);
    std::set<std::pair<int, int>> seen;
    for (const Position p : order.cores())
      seen.insert({p.x, p.y});
    EXPECT_EQ(order.cores().size(), size_t(width) * size_t(height));
    EXPECT_EQ(seen.size(), order.cores().size());
  }
}

TEST(BlockOrder, RunsOfPowersOfTwoAreBlocks) {
  for (const bool rows_first : {false, true}) {
    const BlockOrder order(mesh(8, 8), rows_first);
    for (const size_t count : {2u, 4u, 8u, 16u, 32u}) {
      for (size_t begin = 0; begin < 64; begin += count) {
        const Extent e = extent(order.cores(), begin, count);
        EXPECT_EQ(size_t(e.width) * size_t(e.height), count);
        EXPECT_LE(std::max(e.width, e.height), 2 * std::min(e.width, e.height));
      }
    }
    const Extent half = extent(order.cores(), 0, 32);
    EXPECT_EQ(half.width > half.height, rows_first);
  }
}

// Of powers of two: the same row or column, as far from the middle of their block on the other side.
TEST(BlockOrder, ACoreStandsAcrossFromItsImage) {
  for (const auto& [width, height] : {std::pair{8, 8}, {16, 16}, {8, 4}, {2, 16}}) {
    const BlockOrder order(mesh(width, height), false);
    const auto& cores = order.cores();
    for (size_t bit = 1; bit < cores.size(); bit *= 2) {
      for (size_t c = 0; c < cores.size(); ++c) {
        const Position a = cores[c], b = cores[c ^ bit];
        ASSERT_TRUE((a.x == b.x) != (a.y == b.y));
        const size_t begin = c / (2 * bit) * 2 * bit;
        int sum_x = 0, sum_y = 0;
        for (size_t i = begin; i < begin + 2 * bit; ++i) {
          sum_x += cores[i].x;
          sum_y += cores[i].y;
        }
        if (a.x != b.x)
          EXPECT_EQ((a.x + b.x) * int(bit), sum_x);
        else
          EXPECT_EQ((a.y + b.y) * int(bit), sum_y);
      }
    }
  }
}

TEST(BlockOrder, MiddlesCountTheirLinksAndCores) {
  const BlockOrder order(mesh(8, 8), false);
  ASSERT_EQ(order.middles().size(), 6u);
  const double links[] = {8, 4, 4, 2, 2, 1};
  for (size_t m = 0; m < 6; ++m) {
    EXPECT_EQ(order.middles()[m].links, links[m]) << m;
    EXPECT_EQ(order.middles()[m].cores, 32 >> m) << m;
  }
  EXPECT_EQ(order.middle_between(0, 63), 0u);
  EXPECT_EQ(order.middle_between(0, 1), 5u);
  EXPECT_EQ(order.middle_between(15, 16), 1u);
}

}  // namespace
}  // namespace lento::chip

#include "lab/chip/mismatch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lento::chip {
namespace {

TEST(Mismatch, NoneIsTheFile) {
  const spec::Chip file;
  const Twin twin = drawn({}, file, 1);
  EXPECT_EQ(spec::write_chip(twin.chip), spec::write_chip(file));
  EXPECT_EQ(twin.own, Deviations{});
}

TEST(Mismatch, BothSignsAreDrawnAndTheShareIsExact) {
  const spec::Chip file;
  Mismatch m;
  m.links = 0.1;
  int slower = 0;
  for (uint64_t run = 0; run < 100; ++run) {
    const double ratio = drawn(m, file, run).chip.network.link_bytes_per_cycle / 16;
    EXPECT_NEAR(std::abs(ratio - 1), 0.1, 1e-12);
    slower += ratio < 1;
  }
  EXPECT_GT(slower, 30);
  EXPECT_LT(slower, 70);
}

TEST(Mismatch, PartsDifferEachByItsOwnAndALinkBothWaysAlike) {
  const spec::Chip file;
  Mismatch m;
  m.parts = 0.1;
  const Grid grid(file);
  for (uint64_t run = 0; run < 20; ++run) {
    const Twin twin = drawn(m, file, run);
    ASSERT_EQ(twin.own.links.size(), size_t(grid.link_count()));
    const auto [low, high] = std::minmax_element(twin.own.links.begin(), twin.own.links.end());
    EXPECT_GE(*low, 1 / 1.2);
    EXPECT_LE(*high, 1.2);
    EXPECT_GT(*high / *low, 1.1);  // of 24 draws
    const size_t there = size_t(grid.find_link(5, 6));
    const size_t back = size_t(grid.find_link(6, 5));
    EXPECT_EQ(twin.own.links[there], twin.own.links[back]);
  }
}

}  // namespace
}  // namespace lento::chip

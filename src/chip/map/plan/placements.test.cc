// Places of parts: every core once, heads and rows where their shares were made.
#include "chip/map/plan/placements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lento::chip {
namespace {

TEST(Placements, PartsAreSpreadOverAllCores) {
  for (const size_t cores : {1u, 7u, 64u}) {
    for (int64_t parts = 1; parts <= int64_t(cores); ++parts) {
      std::set<size_t> taken;
      for (int64_t i = 0; i < parts; ++i)
        taken.insert(core_in_sequence(i, parts, cores));
      EXPECT_EQ(taken.size(), size_t(parts));
      EXPECT_LT(*taken.rbegin(), cores);
    }
  }
  EXPECT_EQ(core_in_sequence(47, 48, 64), 62u);
}

Cut cut_of(std::array<int, 4> parts) {
  return {parts, {1, 1, 1, 1}, parts[0] * parts[1] * parts[2] * parts[3]};
}

TEST(Placements, EachIsAnOrderOfAllParts) {
  for (const auto& parts : {std::array{1, 8, 8, 1}, {4, 4, 4, 1}, {1, 3, 4, 5}, {2, 1, 32, 1}}) {
    const Cut cut = cut_of(parts);
    for (const BlocksOf& blocks : {BlocksOf{1, 2}, {2, 1}, {4, 1}, {1, 1}}) {
      const auto lists = list_placements(cut, blocks);
      EXPECT_EQ(std::set(lists.begin(), lists.end()).size(), lists.size());
      for (const auto& positions : lists) {
        std::vector<uint32_t> sorted = positions;
        std::ranges::sort(sorted);
        for (uint32_t i = 0; i < sorted.size(); ++i)
          ASSERT_EQ(sorted[i], i);
        EXPECT_EQ(positions.size(), size_t(cut.cores));
      }
    }
  }
}

// Two blocks share the rows of a sample; each has 8 heads over its 32 cores, four cores to a head.
TEST(Placements, AHeadOfTheRowsOfABlockStaysInIt) {
  const Cut heads = cut_of({1, 8, 8, 1});
  const auto lists = list_placements(heads, {1, 2});
  EXPECT_TRUE(std::ranges::any_of(lists, [](const std::vector<uint32_t>& positions) {
    for (uint32_t head = 0; head < 8; ++head) {
      for (uint32_t rows = 0; rows < 8; ++rows) {
        const uint32_t position = positions[head * 8 + rows];
        if (position / 32 != rows / 4 || position % 32 / 4 != head)
          return false;
      }
    }
    return true;
  }));
}

}  // namespace
}  // namespace lento::chip

#include "fleet/scan/cell_ring.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::fleet {
namespace {

// A cell of two machines and of their peers' medians.
std::vector<float> cells(float mean, float common) {
  return {mean, 1, -1, mean + common, -mean, 2, -2, common - mean, common, 0, 0, NAN};
}

TEST(CellRing, TheMeanItselfIsTheDifferenceAndThePeersMedian) {
  CellRing ring({2, 3, true, false});
  ring.push(cells(0.5F, 7));
  ring.push(cells(0.25F, 8));
  EXPECT_EQ(ring.at(0, kRaw, 0), 8.25F);
  EXPECT_EQ(ring.at(1, kRaw, 1), 6.5F);
  EXPECT_EQ(ring.at(1, kLower, 0), -2);
  EXPECT_EQ(ring.at(2, kMean, 0), 8);
  EXPECT_TRUE(std::isnan(ring.at(0, kMean, 2)));
}

TEST(CellRing, RanksKeepTheMeanItself) {
  CellRing ring({2, 3, false, true});
  std::vector<float> row = cells(0.5F, 7);
  row[kRaw] = 100;
  ring.push(row);
  EXPECT_EQ(ring.at(0, kRaw, 0), 100);
  EXPECT_TRUE(std::isnan(ring.at(0, kUpper, 0)));
}

TEST(CellRing, TheOldestCellIsOverwritten) {
  CellRing ring({2, 3, true, false});
  for (int i = 0; i < 5; ++i)
    ring.push(cells(float(i), 0));
  for (size_t back = 0; back < 3; ++back)
    EXPECT_EQ(ring.at(0, kMean, back), 4 - float(back));
  EXPECT_EQ(ring.pushed(), 5u);
}

TEST(CellRing, JoinsMeansByTheirMeanAndQuantilesByTheirExtremes) {
  CellRing ring({2, 3, true, false});
  std::vector<float> row = cells(1, 0);
  row[kUpper] = -3;
  row[kLower] = 3;
  ring.push(row);
  ring.push(cells(2, 0));
  const std::vector<float> both = ring.joined();
  EXPECT_EQ(both[kMean], 1.5F);
  EXPECT_EQ(both[kUpper], 1);
  EXPECT_EQ(both[kLower], -1);
  row[kMean] = NAN;
  ring.push(row);
  EXPECT_EQ(ring.joined()[kMean], 2);
}

TEST(CellRing, ForgetsOneMachine) {
  CellRing ring({2, 3, true, false});
  ring.push(cells(1, 0));
  ring.forget(0);
  EXPECT_TRUE(std::isnan(ring.at(0, kMean, 0)));
  EXPECT_EQ(ring.at(1, kMean, 0), -1);
}

}  // namespace
}  // namespace lento::fleet

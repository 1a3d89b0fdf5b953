#include "fleet/scan/dips.h"

#include <gtest/gtest.h>

#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

// In each row machine 0 and one other of 20 are 0.2 under their usual level.
Dips two_in_twenty(size_t rows) {
  Dips dips(20, 12);
  for (size_t row = 0; row < rows; ++row) {
    dips.begin_row();
    for (size_t m = 0; m < 20; ++m)
      dips.see(m, m == 0 || m == 1 + row % 19 ? 0.2 : 0.01, 0.01);
  }
  return dips;
}

TEST(Dips, TheChanceIsTheShareOfPeersInEachRow) {
  const Dips dips = two_in_twenty(12);
  EXPECT_NEAR(dips.z_of(0, true, 0.2, 8), normal_upper(2 * 1e-8), 1e-3);
  EXPECT_NEAR(dips.z_of(0, true, 0.2, 12), normal_upper(2 * 1e-12), 1e-3);
  EXPECT_EQ(dips.z_of(0, false, 0.2, 8), 0) << "the other side";
  EXPECT_EQ(dips.z_of(3, true, 0.2, 8), 0) << "a machine that deviates once";
}

TEST(Dips, RowsThatDoNotDeviateMayLieAnywhere) {
  Dips dips = two_in_twenty(12);
  dips.begin_row();
  for (size_t m = 0; m < 20; ++m)
    dips.see(m, m == 1 ? 0.2 : 0.01, 0.01);
  EXPECT_NEAR(dips.z_of(0, true, 0.2, 8), normal_upper(2 * 8 * 1e-7), 1e-3);
}

TEST(Dips, RareDeviationsOfThePastAreLessLikelyThanThoseOfTheRow) {
  Dips dips = two_in_twenty(12);
  for (size_t row = 0; row < 9998; ++row)
    dips.add(0, row % 100 == 0 ? 0.2 : 0.01, 0.01);
  EXPECT_GT(dips.z_of(0, true, 0.2, 8), normal_upper(2 * 1e-15));
  EXPECT_GT(dips.least_change(true, 5, 8), 0);
}

TEST(Dips, RowsBeforeAllAreKeptAreCountedByThePast) {
  const Dips dips = two_in_twenty(11);
  EXPECT_EQ(dips.z_of(0, true, 0.2, 8), dips.z(true, 0.2, 8));
}

TEST(Dips, TheRangeIsThatOfAllRows) {
  Dips dips;
  EXPECT_EQ(dips.range(), 0);
  dips.widen(-1, 2);
  dips.widen(0, 3);
  EXPECT_EQ(dips.range(), 4);
}

}  // namespace
}  // namespace lento::fleet

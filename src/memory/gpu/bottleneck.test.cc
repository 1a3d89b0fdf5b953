// Bounds of the gain against closed forms.
#include "memory/gpu/bottleneck.h"

#include <gtest/gtest.h>

#include <vector>

namespace lento::memory {
namespace {

SpeedUp of(const std::vector<BusyUnit>& units, double waiting = 0, bool all_measured = true) {
  return speed_up(units, waiting, all_measured);
}

TEST(Bottleneck, OneUnitAloneGainsWhatItLoses) {
  const SpeedUp gain = of({{"pipe", 1, 0.25, 0.25}});
  EXPECT_DOUBLE_EQ(gain.low, 4);
  EXPECT_DOUBLE_EQ(gain.high, 4);
  EXPECT_DOUBLE_EQ(gain.middle(), 4);
}

TEST(Bottleneck, TheNextBusiestIsTheFloor) {
  const SpeedUp gain = of({{"pipe", 0.8, 0.2, 0.2}, {"memory", 0.4, 0.4, 0.4}});
  EXPECT_DOUBLE_EQ(gain.high, 2.5);
  EXPECT_DOUBLE_EQ(gain.low, 1 / 0.7);  // 1 - 0.6 (1 - 0.4 / 0.8)
}

TEST(Bottleneck, AUnitThatIsAsBusyLeavesNothingCertain) {
  EXPECT_DOUBLE_EQ(of({{"pipe", 0.8, 0.2, 0.2}, {"memory", 0.8, 0.8, 0.8}}).low, 1);
  EXPECT_DOUBLE_EQ(of({{"pipe", 0.8, 0.2, 0.2}, {"memory", 0.9, 0.9, 0.9}}).low, 1);
  EXPECT_DOUBLE_EQ(of({}).high, 1);
}

TEST(Bottleneck, TimeWithoutWorkStays) {
  const SpeedUp gain = of({{"pipe", 1, 0.25, 0.25}}, 0.2);
  EXPECT_DOUBLE_EQ(gain.high, 1 / (0.2 + 0.8 * 0.25));
}

TEST(Bottleneck, UnmeasuredUnitsLeaveTheTwentiethPart) {
  const SpeedUp gain = of({{"pipe", 1, 0.25, 0.25}}, 0, false);
  EXPECT_DOUBLE_EQ(gain.high, 4);
  EXPECT_NEAR(gain.low, 1 / (1 - 0.75 * 0.05), 1e-12);
}

TEST(Bottleneck, ReliefIsTheWorkThatEnds) {
  const std::vector<BusyUnit> units = {{"pipe", 1, 0.25, 0.5}, {"memory", 0.4, 0.3, 0.4}};
  EXPECT_NEAR(relief(units), 0.85, 1e-12);
}

}  // namespace
}  // namespace lento::memory

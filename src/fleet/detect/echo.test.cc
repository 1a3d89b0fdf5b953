// Noise of a known memory: what one window says of the next is a slope that can be told beforehand.
#include "fleet/detect/echo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace lento::fleet {
namespace {

constexpr size_t kMachines = 64;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Changes that follow from those `lag` evaluations before by `slope`, and a draw.
Echo taught(double slope, size_t lag, size_t evaluations) {
  Echo echo(lag);
  base::Rng rng(7, "echo");
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < evaluations; ++i) {
    std::vector<float> row(kMachines);
    for (size_t m = 0; m < kMachines; ++m)
      row[m] = float(10 * rng.normal() + (i >= lag ? slope * rows[i - lag][m] : 0));
    rows.push_back(row);
    echo.see(std::move(row));
  }
  return echo;
}

TEST(Echo, LearnsTheSlopeOfBeats) {
  EXPECT_NEAR(taught(-0.6, 4, 400).slope(), -0.6, 0.05);
}

TEST(Echo, DriftsAndNoiseWithoutMemoryAreLeftAlone) {
  EXPECT_EQ(taught(0.6, 4, 400).slope(), 0);
  EXPECT_NEAR(taught(0, 4, 400).slope(), 0, 0.05);
}

TEST(Echo, SaysNothingBeforeItHasSeenEnough) {
  const Echo early = taught(-0.6, 4, 6);  // two evaluations of pairs
  EXPECT_EQ(early.slope(), 0);
  EXPECT_EQ(early.of(0), 0);
  EXPECT_LT(taught(-0.6, 4, 10).slope(), -0.3);
}

TEST(Echo, ExpectsTheOppositeOfTheWindowBeforeAndNoMoreThanItsNoiseAllows) {
  Echo echo = taught(-0.6, 1, 400);
  std::vector<float> row(kMachines, 0);
  row[0] = 10;
  row[1] = 1000;
  row[2] = kNone;
  echo.see(row);
  const double noise = std::sqrt(100 / (1 - 0.36));
  EXPECT_NEAR(echo.of(0), -6, 0.6);
  EXPECT_NEAR(echo.of(1), -0.6 * 2.5 * noise, 2);  // a burst counts as 2.5 standard deviations
  EXPECT_EQ(echo.of(2), 0);
}

TEST(Echo, OutliersTeachNothing) {
  Echo echo = taught(-0.6, 1, 400);
  const double before = echo.slope();
  std::vector<float> row(kMachines, 1);
  row[3] = 1e6f;
  echo.see(row);
  echo.see(row);
  EXPECT_NEAR(echo.slope(), before, 0.02);
}

TEST(Echo, StateComesBackAndNonsenseIsIgnored) {
  const Echo echo = taught(-0.6, 4, 400);
  Echo other(4);
  other.restore(echo.state());
  EXPECT_EQ(other.slope(), echo.slope());
  EXPECT_EQ(other.of(0), 0);  // the windows themselves are gone
  Echo spoilt(4);
  spoilt.restore(std::vector<double>{1, -1, 3, 1000});
  EXPECT_EQ(spoilt.slope(), 0);
  spoilt.restore(std::vector<double>{1, NAN, 3, 1000});
  EXPECT_EQ(spoilt.slope(), 0);
  spoilt.restore(std::vector<double>{1, 2});
  EXPECT_EQ(spoilt.slope(), 0);
}

}  // namespace
}  // namespace lento::fleet

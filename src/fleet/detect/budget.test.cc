// Thresholds of the normal law, and from a budget of false alarms.
#include "fleet/detect/budget.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::fleet {
namespace {

TEST(Budget, ThresholdsAreTheTabledOnes) {
  EXPECT_NEAR(normal_threshold(0.317310508), 1, 1e-7);
  EXPECT_NEAR(normal_threshold(0.045500264), 2, 1e-7);
  EXPECT_NEAR(normal_threshold(0.002699796), 3, 1e-6);
  EXPECT_NEAR(normal_threshold(5.733031e-7), 5, 1e-5);
  EXPECT_NEAR(normal_threshold(0.5), 0.67448975, 1e-7);
}

TEST(Budget, IsSharedByAllTests) {
  // Two tests a look of each machine and metric: 2 x 10 x 3 x 100 in a day.
  EXPECT_DOUBLE_EQ(budget_threshold({10, 3, 100}, 0.6), normal_threshold(1e-4));
  EXPECT_DOUBLE_EQ(budget_threshold({20, 3, 50}, 0.6), budget_threshold({10, 3, 100}, 0.6));
  EXPECT_GT(budget_threshold({11, 3, 100}, 0.6), budget_threshold({10, 3, 100}, 0.6));
  EXPECT_LT(budget_threshold({10, 3, 100}, 0.7), budget_threshold({10, 3, 100}, 0.6));
}

TEST(Budget, StaysWhereTheLawIsKnown) {
  EXPECT_DOUBLE_EQ(budget_threshold({1, 1, 1}, 1e9), normal_threshold(0.5));
  EXPECT_DOUBLE_EQ(budget_threshold({100000, 1000, 1e6}, 1e-9), normal_threshold(1e-15));
  EXPECT_DOUBLE_EQ(budget_threshold({0, 0, 0}, 0.25), normal_threshold(0.25));
}

// What the number promises: of normal draws about the share asked for lies beyond.
TEST(Budget, DrawsPassTheThresholdAsOftenAsAsked) {
  base::Rng rng(31, "budget");
  const double p = 0.01;
  const double z = normal_threshold(p);
  constexpr int kDraws = 200'000;
  int beyond = 0;
  for (int i = 0; i < kDraws; ++i)
    beyond += std::abs(rng.normal(0, 1)) > z;
  EXPECT_NEAR(double(beyond) / kDraws, p, 5 * std::sqrt(p / kDraws));
}

}  // namespace
}  // namespace lento::fleet

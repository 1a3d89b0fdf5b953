// The likelihood of ends: what is known in closed form, and what a slow part does to it.
#include "chip/fabric/ends.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

const double kPeak = 2 / (std::numbers::pi * std::numbers::sqrt3);  // Student's density, three degrees, at 0

TEST(Ends, EqualWaitsLieOnTheirCorrection) {
  const Ends ends({0.4, 0.4, 0.4, 0.4, 0.4}, {0, 0, 0, 0, 0}, 1, true);
  EXPECT_DOUBLE_EQ(ends.healthy().centre[0], 0.4);
  EXPECT_DOUBLE_EQ(ends.healthy().spread, kLeastSpread);
  EXPECT_NEAR(ends.healthy().likelihood, 5 * std::log(kPeak / kLeastSpread), 1e-9);
}

double price(double correction) {
  const std::vector<double> x(4, correction);
  const Ends model(x, {0, 0, 0, 0}, 1, false);
  const Ends earlier(x, {0, 0, 0, 0}, 1, true);
  return earlier.healthy().likelihood - model.healthy().likelihood;
}

TEST(Ends, ACorrectionIsNotFreeWithoutAnEarlierRun) {
  const double z = 0.4 / kModelError;
  EXPECT_NEAR(price(0.4), z * z / 2, 1e-9);
  EXPECT_NEAR(price(1.6), kCommonCost, 1e-9);  // all waits are longer: the fabric is another one
}

TEST(Ends, OneSortAloneIsNotAnotherFabric) {
  const std::vector<double> x{1.6, 1.6, 1.6, 1.6, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<uint32_t> sort{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  const double z = 1.6 / kModelError;
  EXPECT_NEAR(
      Ends(x, sort, 3, true).healthy().likelihood - Ends(x, sort, 3, false).healthy().likelihood,
      z * z / 2,
      1e-9);
}

TEST(Ends, SortsHaveTheirOwnCorrections) {
  const Ends ends({0.1, 0.1, 0.1, -0.2, -0.2, -0.2}, {0, 0, 0, 1, 1, 1}, 2, true);
  EXPECT_DOUBLE_EQ(ends.healthy().centre[0], 0.1);
  EXPECT_DOUBLE_EQ(ends.healthy().centre[1], -0.2);
}

TEST(Ends, ASortWithManyWaitsHasItsOwnSpread) {
  base::Rng rng(2, "ends");
  std::vector<double> x;
  std::vector<uint32_t> sort;
  for (int i = 0; i < 4000; ++i) {
    sort.push_back(uint32_t(i % 2));
    x.push_back(rng.normal(0, i % 2 ? 0.3 : 0.1));
  }
  const Ends ends(x, sort, 2, false);
  EXPECT_NEAR(ends.healthy().spreads[0], 0.1, 0.01);
  EXPECT_NEAR(ends.healthy().spreads[1], 0.3, 0.02);
}

TEST(Ends, SpreadIsThatOfTheWaits) {
  base::Rng rng(1, "ends");
  std::vector<double> x;
  for (int i = 0; i < 4000; ++i)
    x.push_back(rng.normal(0.05, 0.1));
  const std::vector<uint32_t> sort(x.size(), 0);
  EXPECT_NEAR(Ends(x, sort, 1, false).healthy().spread, 0.1, 0.005);
}

TEST(Ends, ABoundFarBelowChangesNothing) {
  const Ends ends({0.0, 0.1, -0.1, 0.05, -0.05}, {0, 0, 0, 0, 0}, 1, true);
  const EndsFit fit = ends.fit(std::vector<double>(5, -40), std::vector<double>(5, 0.01));
  EXPECT_NEAR(fit.likelihood, ends.healthy().likelihood, 1e-6);
  EXPECT_LT(fit.waits_ended, 1e-6);
  const EndsFit none = ends.fit(std::vector<double>(5, Ends::kFree), std::vector<double>(5, 0.01));
  EXPECT_DOUBLE_EQ(none.likelihood, ends.healthy().likelihood);
}

// Four of ten waits end where a slow part would have ended them.
class HeldUp : public testing::Test {
 protected:
  HeldUp() {
    for (int i = 0; i < 10; ++i) {
      const bool slow = i < 4;
      x_.push_back(slow ? 0.7 + 0.1 * i : 0.02 * (i % 3));
      bound_.push_back(slow ? x_.back() : Ends::kFree);
    }
  }
  EndsFit fit(const std::vector<double>& bound) const {
    return Ends(x_, sort_, 1, false).fit(bound, std::vector<double>(x_.size(), 0.01));
  }
  double healthy() const {
    return Ends(x_, sort_, 1, false).healthy().likelihood;
  }
  std::vector<double> x_;
  std::vector<double> bound_;
  std::vector<uint32_t> sort_ = std::vector<uint32_t>(10, 0);
};

TEST_F(HeldUp, IsExplained) {
  const EndsFit explained = fit(bound_);
  EXPECT_NEAR(explained.waits_ended, 4, 0.01);
  EXPECT_GT(explained.likelihood, healthy() + 10);
  EXPECT_NEAR(explained.residual[0], 0, 1e-12);
}

TEST_F(HeldUp, IsNotExplainedByBoundsBeyondTheEnds) {
  std::vector<double> beyond = bound_;
  for (size_t i = 4; i < beyond.size(); ++i)
    beyond[i] = 1.5;
  EXPECT_LT(fit(beyond).likelihood, fit(bound_).likelihood - 10);
}

TEST_F(HeldUp, TwoWaitsLeftAloneDoNotMoveTheModel) {
  for (size_t i = 4; i < 8; ++i) {
    x_[i] = 0.9;
    bound_[i] = 0.9;
  }
  x_[8] = -1;
  x_[9] = -1;
  EXPECT_NEAR(fit(bound_).centre[0], -kModelError, 1e-9);
}

TEST_F(HeldUp, WaitsItLeavesAloneSetTheSpread) {
  EXPECT_DOUBLE_EQ(fit(bound_).spread, kLeastSpread);
  EXPECT_GT(Ends(x_, sort_, 1, false).healthy().spread, kLeastSpread);
  EXPECT_NEAR(fit(bound_).centre[0], 0.02, 0.02);
}

}  // namespace
}  // namespace lento::chip

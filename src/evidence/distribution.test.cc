#include "evidence/distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::evidence {
namespace {

TEST(Normal, QuantileInvertsTheDistribution) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-13);
  EXPECT_NEAR(normal_quantile(1e-12), -7.034483825301132, 1e-9);
  for (const double p : {1e-200, 1e-9, 0.1, 0.6, 0.999})
    EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1, 1e-12) << p;
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
}

TEST(ChiSquared, ClosedFormsOfOneAndOfEvenFreedom) {
  for (const double x : {0.01, 0.5, 3.84, 20.0, 200.0}) {
    EXPECT_NEAR(chi_squared_tail(x, 2) / std::exp(-x / 2), 1, 1e-11) << x;
    EXPECT_NEAR(chi_squared_tail(x, 4) / (std::exp(-x / 2) * (1 + x / 2)), 1, 1e-11) << x;
    EXPECT_NEAR(chi_squared_tail(x, 1) / (2 * normal_cdf(-std::sqrt(x))), 1, 1e-9) << x;
  }
  EXPECT_EQ(chi_squared_tail(-1, 3), 1);
}

TEST(Beta, ClosedForms) {
  for (const double x : {0.001, 0.2, 0.5, 0.9}) {
    EXPECT_NEAR(beta_cdf(x, 1, 1), x, 1e-12);
    EXPECT_NEAR(beta_cdf(x, 3, 1), x * x * x, 1e-12);
    EXPECT_NEAR(beta_cdf(x, 1, 5), 1 - std::pow(1 - x, 5), 1e-12);
    EXPECT_NEAR(beta_cdf(x, 0.5, 0.5), 2 / M_PI * std::asin(std::sqrt(x)), 1e-12);
    EXPECT_NEAR(beta_quantile(beta_cdf(x, 40, 7), 40, 7), x, 1e-3 + 0.01 * x);
  }
  EXPECT_NEAR(beta_cdf(0.5, 1e5, 1e5), 0.5, 1e-9);
}

TEST(Student, CauchyAndNormalAreItsEnds) {
  EXPECT_NEAR(student_quantile(0.975, 1), std::tan(0.475 * M_PI), 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 2), 2.919985580353725, 1e-9);
  EXPECT_NEAR(student_quantile(0.05, 1e8), normal_quantile(0.05), 1e-6);
}

TEST(Wilson, ContainsTheShareAndKnowsItsEnds) {
  EXPECT_EQ(wilson95(0, 0).low, 0);
  EXPECT_EQ(wilson95(0, 0).high, 1);
  EXPECT_NEAR(wilson95(0, 10).low, 0, 1e-12);
  EXPECT_NEAR(wilson95(0, 10).high, 0.2775, 1e-4);
  EXPECT_NEAR(wilson95(5, 10).low, 0.2366, 1e-4);
  EXPECT_NEAR(wilson95(5, 10).high, 0.7634, 1e-4);
  EXPECT_NEAR(wilson95(10, 10).low, 0.7225, 1e-4);
  EXPECT_NEAR(wilson95(10, 10).high, 1, 1e-12);
}

TEST(Wilson, HoldsTheTrueShareNineteenTimesInTwenty) {
  constexpr uint64_t kTrials = 60;
  base::Rng rng(5, "share");
  size_t held = 0;
  for (int i = 0; i < 4000; ++i) {
    const double share = rng.uniform(0.05, 0.95);
    uint64_t hits = 0;
    for (uint64_t t = 0; t < kTrials; ++t)
      hits += rng.uniform() < share;
    const Interval w = wilson95(hits, kTrials);
    held += w.low <= share && share <= w.high;
  }
  EXPECT_GT(held, 4000 * 0.94);
  EXPECT_LT(held, 4000 * 0.97);
}

TEST(ExactShare, ClosedFormsWithoutAndWithAllHits) {
  for (const uint64_t n : {1, 10, 400}) {
    EXPECT_EQ(exact_share_interval(0, n, 0.95).low, 0);
    EXPECT_NEAR(exact_share_interval(0, n, 0.95).high, 1 - std::pow(0.025, 1.0 / double(n)), 1e-11);
    EXPECT_NEAR(exact_share_interval(n, n, 0.95).low, std::pow(0.025, 1.0 / double(n)), 1e-11);
    EXPECT_EQ(exact_share_interval(n, n, 0.95).high, 1);
  }
  EXPECT_EQ(exact_share_interval(0, 0, 0.95).high, 1);
}

TEST(ExactShare, CoversAtLeastItsLevelForEveryShare) {
  constexpr uint64_t n = 12;
  for (double p = 0.01; p < 1; p += 0.01) {
    double covered = 0;
    double chance = std::pow(1 - p, double(n));
    for (uint64_t k = 0; k <= n; ++k) {
      const Interval i = exact_share_interval(k, n, 0.9);
      covered += i.low <= p && p <= i.high ? chance : 0;
      chance *= double(n - k) / double(k + 1) * p / (1 - p);
    }
    EXPECT_GE(covered, 0.9 - 1e-9) << p;
  }
}

}  // namespace
}  // namespace lento::evidence

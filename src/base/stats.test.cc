#include "base/stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace lento::base {
namespace {

std::vector<double> drawn(uint64_t seed, size_t count) {
  Rng rng(seed, "stats");
  std::vector<double> values(count);
  for (double& v : values)
    v = rng.normal(10, 3);
  return values;
}

// The order statistics by sorting, which `quantile` avoids.
double sorted_quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double at = q * double(values.size() - 1);
  const auto low = size_t(std::floor(at));
  const auto high = size_t(std::ceil(at));
  return values[low] + (at - double(low)) * (values[high] - values[low]);
}

TEST(Mean, OfNothingOneAndMany) {
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(mean(std::vector{7.0}), 7);
  EXPECT_EQ(mean(std::vector{1.0, 2.0, 6.0}), 3);
}

TEST(Variance, IsUnbiased) {
  EXPECT_EQ(variance({}), 0);
  EXPECT_EQ(variance(std::vector{4.0}), 0);
  EXPECT_DOUBLE_EQ(variance(std::vector{1.0, 3.0}), 2);
  // 1..n has n (n + 1) / 12.
  std::vector<double> ramp;
  for (int i = 1; i <= 20; ++i)
    ramp.push_back(i);
  EXPECT_DOUBLE_EQ(variance(ramp), 20.0 * 21 / 12);
}

TEST(Variance, ShiftsLeaveItAndScalesSquareIt) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<double> values = drawn(seed, 40);
    const double before = variance(values);
    for (double& v : values)
      v = 100 - 3 * v;
    EXPECT_NEAR(variance(values), 9 * before, 1e-9 * before);
  }
}

TEST(Quantile, AgreesWithSorting) {
  Rng rng(3, "q");
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<double> values = drawn(seed, 1 + rng.below(30));
    const double q = rng.uniform();
    EXPECT_NEAR(quantile(values, q), sorted_quantile(values, q), 1e-12) << values.size() << " at " << q;
  }
}

TEST(Quantile, EndsAndWhatLiesOutside) {
  const std::vector<double> values{5, 1, 3};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 5);
  EXPECT_EQ(quantile(values, -1), 1);
  EXPECT_EQ(quantile(values, 2), 5);
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({8}, 0.3), 8);
}

TEST(Median, MiddleOrMeanOfTheTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(Mad, IsHalfTheQuartileDistanceOfASymmetricSet) {
  EXPECT_EQ(mad({-4, -2, 0, 2, 4}), 2);
  EXPECT_EQ(mad({5, 5, 5, 100}), 0);
  EXPECT_EQ(mad({}), 0);
  // One outlier more does not move it by more than one order statistic.
  EXPECT_EQ(mad({1, 2, 3, 4, 5}), mad({1, 2, 3, 4, 1e9}));
}

TEST(Wilson, SolvesItsDefiningEquation) {
  // The ends are the shares p with |hits / n - p| = z sqrt(p (1 - p) / n).
  constexpr double z = 1.959963984540054;
  for (const auto& [hits, trials] : {std::pair{3, 10}, std::pair{50, 100}, std::pair{1, 7}}) {
    const Interval i = wilson95(uint64_t(hits), uint64_t(trials));
    const double share = double(hits) / trials;
    for (const double p : {i.low, i.high})
      EXPECT_NEAR(std::fabs(share - p), z * std::sqrt(p * (1 - p) / trials), 1e-12);
    EXPECT_LT(i.low, share);
    EXPECT_GT(i.high, share);
  }
}

TEST(Wilson, EdgesStayInTheUnitInterval) {
  EXPECT_EQ(wilson95(0, 0).low, 0);
  EXPECT_EQ(wilson95(0, 0).high, 1);
  const Interval none = wilson95(0, 20);
  EXPECT_NEAR(none.low, 0, 1e-12);
  EXPECT_GT(none.high, 0.1);
  const Interval all = wilson95(20, 20);
  EXPECT_NEAR(all.high, 1, 1e-12);
  EXPECT_NEAR(all.low, 1 - none.high, 1e-12);
}

TEST(Wilson, MoreTrialsAreNarrower) {
  double width = 1;
  for (uint64_t n = 10; n <= 10000; n *= 10) {
    const Interval i = wilson95(n / 2, n);
    EXPECT_LT(i.high - i.low, width);
    width = i.high - i.low;
  }
  EXPECT_NEAR(width, 2 * 1.96 * 0.5 / 100, 1e-3);
}

// How often the interval of a binomial draw holds `share`, summed over all draws.
double coverage(uint64_t trials, double share) {
  const double n = double(trials);
  double covered = 0;
  for (uint64_t hits = 0; hits <= trials; ++hits) {
    const double h = double(hits);
    const double ways = std::lgamma(n + 1) - std::lgamma(h + 1) - std::lgamma(n - h + 1);
    const Interval i = wilson95(hits, trials);
    if (i.low <= share && share <= i.high)
      covered += std::exp(ways + h * std::log(share) + (n - h) * std::log(1 - share));
  }
  return covered;
}

TEST(Wilson, CoversTheTruthNineteenTimesInTwenty) {
  for (const uint64_t trials : {20, 60, 200}) {
    double sum = 0;
    for (int i = 0; i < 200; ++i)
      sum += coverage(trials, (i + 0.5) / 200);
    EXPECT_NEAR(sum / 200, 0.95, 0.005) << trials;
  }
}

TEST(Confusion, RatesByTheirDefinitions) {
  const Confusion c{6, 2, 3, 9};
  EXPECT_DOUBLE_EQ(c.precision(), 6.0 / 8);
  EXPECT_DOUBLE_EQ(c.recall(), 6.0 / 9);
  EXPECT_DOUBLE_EQ(c.f1(), 2 / (1 / c.precision() + 1 / c.recall()));
  EXPECT_DOUBLE_EQ(c.false_alarm_rate(), 2.0 / 11);
  EXPECT_DOUBLE_EQ(c.accuracy(), 15.0 / 20);
}

TEST(Confusion, UndefinedRatesAreZero) {
  const Confusion nothing;
  EXPECT_EQ(nothing.precision(), 0);
  EXPECT_EQ(nothing.recall(), 0);
  EXPECT_EQ(nothing.f1(), 0);
  EXPECT_EQ(nothing.false_alarm_rate(), 0);
  EXPECT_EQ(nothing.accuracy(), 0);
}

}  // namespace
}  // namespace lento::base

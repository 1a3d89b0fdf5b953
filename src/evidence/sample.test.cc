#include "evidence/sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::evidence {
namespace {

using Values = std::vector<double>;

Values drawn(uint64_t seed, size_t count) {
  base::Rng rng(seed, "sample");
  Values values(count);
  for (double& v : values)
    v = rng.normal(10, 3);
  return values;
}

// The order statistics by sorting, which `quantile` avoids.
double sorted_quantile(Values values, double q) {
  std::ranges::sort(values);
  const double at = q * double(values.size() - 1);
  const auto low = size_t(std::floor(at));
  const auto high = size_t(std::ceil(at));
  return values[low] + (at - double(low)) * (values[high] - values[low]);
}

// All pairs listed and sorted, which `qn_spread` avoids.
Values pairs_of(const Values& x, bool distances) {
  Values out;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = distances ? i + 1 : i; j < x.size(); ++j)
      out.push_back(distances ? std::fabs(x[i] - x[j]) : x[i] / 2 + x[j] / 2);
  std::ranges::sort(out);
  return out;
}

TEST(Mean, OfNothingOneAndMany) {
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(mean(Values{7.0}), 7);
  EXPECT_EQ(mean(Values{1.0, 2.0, 6.0}), 3);
}

TEST(Variance, IsUnbiased) {
  EXPECT_EQ(variance({}), 0);
  EXPECT_EQ(variance(Values{4.0}), 0);
  EXPECT_DOUBLE_EQ(variance(Values{1.0, 3.0}), 2);
  // 1..n has n (n + 1) / 12.
  Values ramp;
  for (int i = 1; i <= 20; ++i)
    ramp.push_back(i);
  EXPECT_DOUBLE_EQ(variance(ramp), 20.0 * 21 / 12);
}

TEST(Variance, ShiftsLeaveItAndScalesSquareIt) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Values values = drawn(seed, 40);
    const double before = variance(values);
    for (double& v : values)
      v = 100 - 3 * v;
    EXPECT_NEAR(variance(values), 9 * before, 1e-9 * before);
  }
}

TEST(Quantile, AgreesWithSorting) {
  base::Rng rng(3, "q");
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Values values = drawn(seed, 1 + rng.below(30));
    const double q = rng.uniform();
    EXPECT_NEAR(quantile(values, q), sorted_quantile(values, q), 1e-12) << values.size() << " at " << q;
  }
}

TEST(Quantile, EndsAreClampedAndNothingIsZero) {
  const Values values{5, 1, 4, 2, 3};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 5);
  EXPECT_EQ(quantile(values, -1), 1);
  EXPECT_EQ(quantile(values, 2), 5);
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile(Values{8}, 0.3), 8);
}

TEST(Median, OddEvenLowerAndUpper) {
  EXPECT_EQ(median(Values{3, 1, 2}), 2);
  EXPECT_EQ(median(Values{4, 1, 2, 3}), 2.5);
  Values even{4, 1, 2, 3};
  EXPECT_EQ(lower_median_reordering(std::span(even)), 2);
  EXPECT_EQ(upper_median_reordering(std::span(even)), 3);
  std::vector<int> odd{9, 1, 5};
  EXPECT_EQ(lower_median_reordering(std::span(odd)), 5);
  EXPECT_EQ(upper_median_reordering(std::span(odd)), 5);
}

TEST(Mad, HalfOfTheValuesDoNotMoveIt) {
  EXPECT_EQ(mad(Values{-4, -2, 0, 2, 4}), 2);
  EXPECT_EQ(mad(Values{5, 5, 5, 100}), 0);
  EXPECT_EQ(mad({}), 0);
  EXPECT_EQ(mad(Values{1, 2, 3, 4, 5}), mad(Values{1, 2, 3, 4, 1e9}));
}

TEST(Qn, IsTheOrderStatisticOfAllPairs) {
  for (size_t n = 10; n <= 41; ++n) {
    const Values x = drawn(n, n);
    const size_t half = n / 2 + 1;
    const double kth = pairs_of(x, true)[half * (half - 1) / 2 - 1];
    const double factor = 2.21914446598508 * double(n) / (double(n) + (n % 2 ? 1.4 : 3.8));
    EXPECT_DOUBLE_EQ(qn_spread(x), factor * kth) << n;
  }
  EXPECT_EQ(qn_spread({}), 0);
  EXPECT_EQ(qn_spread(Values{3}), 0);
  EXPECT_EQ(qn_spread(Values{3, 3, 3}), 0);
}

TEST(Qn, IsUnbiasedForNormalValuesAndBearsWildOnes) {
  for (const size_t n : {5, 8, 20, 101}) {
    double sum = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed)
      sum += qn_spread(drawn(seed, n)) / 3;
    EXPECT_NEAR(sum / 2000, 1, 0.03) << n;
  }
  Values wild = drawn(1, 1000);
  std::fill_n(wild.begin(), 400, 1e12);
  EXPECT_LT(qn_spread(wild), 30);
}

TEST(WeightedQuantile, WeightsCountAsRepeats) {
  EXPECT_EQ(weighted_quantile({{3, 1}, {1, 1}, {2, 5}}, 0.5), 2);
  EXPECT_EQ(weighted_quantile({{1, 3}, {2, 1}}, 0.75), 1);
  EXPECT_EQ(weighted_quantile({{1, 3}, {2, 1}}, 0.76), 2);
  EXPECT_EQ(weighted_quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace lento::evidence

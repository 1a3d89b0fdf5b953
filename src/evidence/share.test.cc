#include "evidence/share.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::evidence {
namespace {

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

#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace lento::base {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

double variance(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double v : values)
    sum += (v - centre) * (v - centre);
  return sum / double(values.size() - 1);
}

// The largest distance between the sample's distribution and `cdf` (Kolmogorov, Smirnov).
template <class Draw, class Cdf>
double distance(size_t count, Draw draw, Cdf cdf) {
  std::vector<double> values(count);
  for (double& v : values)
    v = draw();
  std::ranges::sort(values);
  double worst = 0;
  for (size_t i = 0; i < count; ++i) {
    const double p = cdf(values[i]);
    worst = std::max(worst, std::max(p - double(i) / double(count), double(i + 1) / double(count) - p));
  }
  return worst;
}

constexpr size_t kDraws = 20000;
// Exceeded once in 10,000 samples of kDraws: 2.23 / sqrt(n).
const double kCritical = 2.23 / std::sqrt(double(kDraws));

TEST(Mix64, FirstValuesOfSplitmix64) {
  // Vigna's splitmix64.c from state 0: the state walks by the golden constant.
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix64(0x9e3779b97f4a7c15ULL), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(mix64(2 * 0x9e3779b97f4a7c15ULL), 0x06c45d188009454fULL);
}

TEST(Mix64, HalfOfTheBitsChangeWithOne) {
  double changed = 0;
  int pairs = 0;
  for (uint64_t x = 1; x < 200; ++x) {
    for (int bit = 0; bit < 64; bit += 7) {
      changed += double(__builtin_popcountll(mix64(x) ^ mix64(x ^ (uint64_t{1} << bit))));
      ++pairs;
    }
  }
  EXPECT_NEAR(changed / pairs, 32, 0.5);
}

TEST(HashText, TellsTextsApart) {
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i)
    seen.insert(hash_text("stream" + std::to_string(i)));
  seen.insert(hash_text(""));
  seen.insert(hash_text(std::string_view("\0", 1)));
  seen.insert(hash_text("ab"));
  seen.insert(hash_text("ba"));
  EXPECT_EQ(seen.size(), 1004u);
}

TEST(Rng, SeedStreamAndIndexEachMakeAnother) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* stream : {"", "a", "b"}) {
      for (uint64_t index = 0; index < 20; ++index)
        first.insert(Rng(seed, stream, index).next());
    }
  }
  EXPECT_EQ(first.size(), 20u * 3 * 20);
}

TEST(Rng, TheSameNameIsTheSameStreamHoweverOthersWereDrawn) {
  Rng a(5, "x", 3);
  Rng other(5, "y", 3);
  std::vector<uint64_t> with;
  for (int i = 0; i < 100; ++i) {
    with.push_back(a.next());
    for (int k = 0; k < i % 3; ++k)
      other.normal();
  }
  Rng b(5, "x", 3);
  for (const uint64_t value : with)
    EXPECT_EQ(b.next(), value);
}

TEST(Rng, EachBitIsSetHalfOfTheTime) {
  Rng rng(1);
  std::vector<int> ones(64);
  for (size_t i = 0; i < kDraws; ++i) {
    const uint64_t x = rng.next();
    for (size_t bit = 0; bit < 64; ++bit)
      ones[bit] += int(x >> bit & 1);
  }
  // Five standard deviations of a fair coin.
  const double slack = 5 * std::sqrt(kDraws * 0.25);
  for (size_t bit = 0; bit < 64; ++bit)
    EXPECT_NEAR(ones[bit], kDraws / 2.0, slack) << bit;
}

TEST(Rng, NeighbouringStreamsAreNotCorrelated) {
  for (uint64_t index = 0; index < 10; ++index) {
    Rng a(7, "chip.core", index);
    Rng b(7, "chip.core", index + 1);
    double product = 0;
    for (size_t i = 0; i < kDraws; ++i)
      product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
    // The mean of products has deviation 1 / (12 sqrt(n)).
    EXPECT_LT(std::fabs(product / kDraws), 5 / (12 * std::sqrt(double(kDraws)))) << index;
  }
}

TEST(Below, StaysBelowAndReachesEveryValueEquallyOften) {
  Rng rng(2);
  for (const uint64_t bound : {1, 2, 3, 7, 10}) {
    std::vector<int> count(bound);
    for (size_t i = 0; i < kDraws; ++i) {
      const uint64_t x = rng.below(bound);
      ASSERT_LT(x, bound);
      ++count[x];
    }
    const double expected = double(kDraws) / double(bound);
    for (const int n : count)
      EXPECT_NEAR(n, expected, 5 * std::sqrt(expected)) << bound;
  }
}

TEST(Below, HasNoBiasForBoundsNearTheRange) {
  // Of a bound of 3/4 of the range, plain remainders would fall into the first third twice as often.
  Rng rng(3);
  const uint64_t bound = 3 * (uint64_t{1} << 62);
  int low = 0;
  for (size_t i = 0; i < kDraws; ++i)
    low += rng.below(bound) < bound / 3;
  EXPECT_NEAR(low, kDraws / 3.0, 5 * std::sqrt(kDraws * 2 / 9.0));
}

TEST(Uniform, FollowsItsDistribution) {
  Rng rng(4);
  const double d = distance(
      kDraws,
      [&] {
        const double u = rng.uniform();
        EXPECT_TRUE(u >= 0 && u < 1);
        return u;
      },
      [](double x) {
        return x;
      });
  EXPECT_LT(d, kCritical);
}

TEST(Uniform, BetweenTwoBounds) {
  Rng rng(5);
  double least = 100;
  double most = -100;
  for (size_t i = 0; i < kDraws; ++i) {
    const double x = rng.uniform(-3, 5);
    least = std::min(least, x);
    most = std::max(most, x);
  }
  EXPECT_GE(least, -3);
  EXPECT_LT(most, 5);
  EXPECT_NEAR(least, -3, 0.01);
  EXPECT_NEAR(most, 5, 0.01);
}

TEST(Normal, FollowsItsDistribution) {
  Rng rng(6);
  const double d = distance(
      kDraws,
      [&] {
        return rng.normal(2, 3);
      },
      [](double x) {
        return 0.5 * std::erfc(-(x - 2) / (3 * std::sqrt(2.0)));
      });
  EXPECT_LT(d, kCritical);
}

TEST(Normal, TheSpareDrawTakesItsOwnMeanAndDeviation) {
  // Two draws come from one pair; the second must not keep the first one's parameters.
  Rng rng(7);
  Rng same(7);
  const double first = rng.normal();
  const double second = rng.normal();
  EXPECT_DOUBLE_EQ(same.normal(10, 2), 10 + 2 * first);
  EXPECT_DOUBLE_EQ(same.normal(-5, 0.5), -5 + 0.5 * second);
}

TEST(Exponential, FollowsItsDistribution) {
  Rng rng(8);
  const double d = distance(
      kDraws,
      [&] {
        return rng.exponential(4);
      },
      [](double x) {
        return 1 - std::exp(-x / 4);
      });
  EXPECT_LT(d, kCritical);
}

TEST(Gamma, OfShapeOneIsExponential) {
  Rng rng(9);
  const double d = distance(
      kDraws,
      [&] {
        return rng.gamma(1, 2);
      },
      [](double x) {
        return 1 - std::exp(-x / 2);
      });
  EXPECT_LT(d, kCritical);
}

TEST(Gamma, OfShapeAHalfIsASquaredNormal) {
  // gamma(1/2, 2) is chi squared of one degree: P(X < x) = erf(sqrt(x / 2)).
  Rng rng(10);
  const double d = distance(
      kDraws,
      [&] {
        return rng.gamma(0.5, 2);
      },
      [](double x) {
        return std::erf(std::sqrt(x / 2));
      });
  EXPECT_LT(d, kCritical);
}

TEST(Gamma, MomentsOfManyShapes) {
  Rng rng(11);
  for (const double shape : {0.3, 1.0, 2.5, 40.0}) {
    std::vector<double> values(kDraws);
    for (double& v : values)
      v = rng.gamma(shape, 0.5);
    const double deviation = 0.5 * std::sqrt(shape);
    EXPECT_NEAR(mean(values), 0.5 * shape, 5 * deviation / std::sqrt(double(kDraws))) << shape;
    EXPECT_NEAR(std::sqrt(variance(values)) / deviation, 1, 0.06) << shape;
  }
}

TEST(Rng, DrawsHaveTheirMoments) {
  Rng rng(1, "moments");
  std::vector<double> normal(20000);
  std::vector<double> gamma(20000);
  for (double& v : normal)
    v = rng.normal(3, 2);
  for (double& v : gamma)
    v = rng.gamma(4, 0.5);
  EXPECT_NEAR(mean(normal), 3, 0.05);
  EXPECT_NEAR(std::sqrt(variance(normal)), 2, 0.05);
  EXPECT_NEAR(mean(gamma), 2, 0.03);
  EXPECT_NEAR(variance(gamma), 1, 0.05);
}

}  // namespace
}  // namespace lento::base

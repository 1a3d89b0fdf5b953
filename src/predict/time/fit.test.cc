// The minimiser on functions whose minimum is known.
#include "predict/time/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::predict {
namespace {

using Point = std::vector<double>;

// Squared distance in the logarithm, each side of its own weight.
double bowl(const Point& x, const Point& at) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += double(i + 1) * std::pow(std::log(x[i] / at[i]), 2);
  return sum;
}

TEST(Minimise, FindsTheBottomOfABowlOverScales) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "fit");
    Point at;
    Point start;
    for (uint64_t i = 0; i < 1 + rng.below(4); ++i) {
      at.push_back(std::exp(rng.uniform(-9, 9)));
      start.push_back(at.back() * std::exp(rng.uniform(-2, 2)));
    }
    const Point found = minimise(
        [&](const Point& x) {
          return bowl(x, at);
        },
        start);
    EXPECT_LT(bowl(found, at), 1e-6) << seed;
  }
}

TEST(Minimise, FollowsACurvedValley) {
  const Point found = minimise(
      [](const Point& x) {
        const double a = std::log(x[0]);
        const double b = std::log(x[1]);
        return std::pow(1 - a, 2) + 100 * std::pow(b - a * a, 2);
      },
      {0.3, 3},
      {4000, 2, 0.35});
  EXPECT_NEAR(std::log(found[0]), 1, 1e-3);
  EXPECT_NEAR(std::log(found[1]), 1, 2e-3);
}

TEST(Minimise, NeverWorseThanTheStartAndPositive) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    base::Rng rng(seed, "rough");
    const double a = rng.uniform(1, 30);
    const double b = rng.uniform(1, 30);
    const auto rough = [&](const Point& x) {
      return std::sin(a * std::log(x[0])) + std::cos(b * std::log(x[1])) + 0.01 * bowl(x, {1, 1});
    };
    const Point start = {std::exp(rng.uniform(-3, 3)), std::exp(rng.uniform(-3, 3))};
    const Point found = minimise(rough, start, {40, 0, 0.35});
    EXPECT_LE(rough(found), rough(start)) << seed;
    EXPECT_GT(found[0], 0);
    EXPECT_GT(found[1], 0);
  }
}

TEST(Minimise, StaysNearItsBudgetAndRepeatsItself) {
  int used = 0;
  const auto counted = [&](const Point& x) {
    ++used;
    return bowl(x, {2, 3, 4});
  };
  const FitOptions options{50, 1, 0.35};
  const Point first = minimise(counted, {1, 1, 1}, options);
  EXPECT_GE(used, 100);
  EXPECT_LE(used, 2 * 50);
  EXPECT_EQ(minimise(counted, {1, 1, 1}, options), first);
}

}  // namespace
}  // namespace lento::predict

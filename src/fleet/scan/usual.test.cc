#include "fleet/scan/usual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::fleet {
namespace {

constexpr size_t kMachines = 16;

// Machines whose difference follows the peers' median by their own slope, plus noise.
Usual learnt(double (*slope)(size_t), double (*noise)(size_t)) {
  base::Rng rng(3, "usual");
  Usual usual(kMachines, 8, true);
  for (int i = 0; i < 200; ++i) {
    const auto common = float(5 + rng.normal(0, 1));
    for (size_t m = 0; m < kMachines; ++m) {
      const auto v = float(slope(m) * double(common) + rng.normal(0, noise(m)));
      usual.learn(m, {v, v, v, v}, {common, common, common, common});
    }
  }
  usual.refresh();
  return usual;
}

TEST(Usual, AMachineThatAnswersByHalfIsExpectedTo) {
  const Usual usual = learnt(
      [](size_t m) {
        return m == 0 ? 0.5 : 0.0;
      },
      [](size_t) {
        return 0.1;
      });
  EXPECT_NEAR(usual.expected(0, kMean, 6), 3, 0.1);
  EXPECT_NEAR(usual.expected(1, kMean, 6), 0, 0.1);
}

TEST(Usual, ALevelThatNeverOccurredIsNotExtrapolated) {
  const Usual usual = learnt(
      [](size_t m) {
        return double(m % 2);
      },
      [](size_t) {
        return 0.1;
      });
  EXPECT_LT(usual.expected(1, kMean, 1000), 12);
}

TEST(Usual, SlopesThatDifferByChanceOnlyAreNone) {
  const Usual usual = learnt(
      [](size_t) {
        return 0.0;
      },
      [](size_t) {
        return 1.0;
      });
  for (size_t m = 0; m < kMachines; ++m)
    EXPECT_NEAR(usual.expected(m, kMean, 7) - double(usual.mean(m, kMean)), 0, 0.2);
}

TEST(Usual, AMachineThatIsSurelyNoisierIsListed) {
  const Usual usual = learnt(
      [](size_t) {
        return 0.0;
      },
      [](size_t m) {
        return m == 3 ? 0.5 : 0.1;
      });
  const std::vector<float> times = usual.noisier();
  EXPECT_GT(times[3], 15);
  EXPECT_LT(times[4], 1.5);
  EXPECT_NEAR(usual.cell_spread(3), 0.5, 0.1);
}

// Variances of equal machines differ by chance, and one burst is enough to make that of its machine larger.
TEST(Usual, ABurstMakesAMachinesCellsScatter) {
  const auto after = [](float burst) {
    base::Rng rng(9, "usual");
    Usual usual(kMachines, 8, true);
    for (int i = 0; i < 64; ++i) {
      for (size_t m = 0; m < kMachines; ++m) {
        const float v = m == 3 && i == 20 ? burst : float(rng.normal(0, 0.1));
        usual.learn(m, {v, v, v, v}, {0, 0, 0, 0});
      }
    }
    usual.refresh();
    usual.weigh_variances();
    return usual;
  };
  EXPECT_EQ(after(0).variance(3, kLower), 1);
  EXPECT_GT(after(3).variance(3, kLower), 5);
  EXPECT_LT(after(3).variance(4, kLower), 1.5);
}

TEST(Usual, WhatIsMissingAddsNothing) {
  Usual usual(1, 2, true);
  usual.learn(0, {1, NAN, 3, 4}, {0, 0, 0, 0});
  usual.learn(0, {NAN, NAN, 5, 4}, {0, 0, 0, 0});
  EXPECT_TRUE(usual.known(0));
  EXPECT_EQ(usual.mean(0, kMean), 1);
  EXPECT_EQ(usual.mean(0, kUpper), 0);
  EXPECT_EQ(usual.mean(0, kLower), 4);
}

TEST(Usual, MeansAreSavedAndRestored) {
  Usual usual(2, 2, true);
  usual.learn(1, {1, 2, 3, 4}, {0, 0, 0, 0});
  Usual other(2, 2, true);
  other.set_means(0, usual.means(1));
  EXPECT_EQ(other.count(0), 1);
  EXPECT_EQ(other.mean(0, kRaw), 4);
}

}  // namespace
}  // namespace lento::fleet

#include "fleet/scan/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

Noise learnt(double (*value)(base::Rng&), size_t rounds = 200) {
  base::Rng rng(5, "noise");
  Noise noise(32);
  for (size_t i = 0; i < rounds; ++i) {
    for (size_t m = 0; m < 32; ++m) {
      const double d = value(rng);
      noise.learn(m, d, std::abs(d), double(i));
    }
    noise.refresh();
  }
  return noise;
}

TEST(Noise, SpreadOfANormalLaw) {
  const Noise noise = learnt([](base::Rng& r) {
    return r.normal(0, 1);
  });
  EXPECT_TRUE(noise.known());
  EXPECT_NEAR(noise.spread(0), 1, 0.1);
  EXPECT_GT(noise.freedom(0), 100);
}

TEST(Noise, ThresholdOfANormalLawIsNearTheBudgets) {
  const Noise noise = learnt([](base::Rng& r) {
    return r.normal(0, 1);
  });
  EXPECT_GE(noise.threshold(5.5), 5.5);
  EXPECT_LT(noise.threshold(5.5), 6.5);
}

TEST(Noise, AHeavyTailRaisesTheThreshold) {
  const Noise noise = learnt([](base::Rng& r) {
    return r.normal() / std::sqrt(r.gamma(1.5, 1 / 1.5));
  });
  EXPECT_GT(noise.threshold(5.5), 10);
}

// Two rounds do not show how noisy one machine is, but shorter windows did.
TEST(Noise, AMachineThatIsExpectedToBeNoisyIsSoFromTheBegin) {
  base::Rng rng(6, "noise");
  Noise noise(32);
  std::vector<float> times(32, 1);
  times[3] = 25;
  noise.expect(times);
  for (size_t i = 0; i < 64; ++i) {
    const double d = rng.normal(0, 1) * (i % 32 == 3 ? 0.1 : 1);
    noise.learn(i % 32, d, std::abs(d), 8);
  }
  noise.refresh();
  EXPECT_GT(noise.spread(3), 3);
  EXPECT_NEAR(noise.spread(4), 1, 0.3);
}

TEST(Noise, ANoisyMachineKeepsItsOwnSpread) {
  base::Rng rng(7, "noise");
  Noise noise(16);
  for (size_t i = 0; i < 100; ++i) {
    for (size_t m = 0; m < 16; ++m)
      noise.learn(m, rng.normal(0, m == 3 ? 3 : 1), 0, 8);
  }
  noise.refresh();
  EXPECT_GT(noise.spread(3), 2);
  EXPECT_LT(noise.spread(4), 1.5);
}

// Levels that wander leave the mean of a long past further behind than that of a short one.
TEST(Noise, TheSpreadFollowsTheLengthOfThePast) {
  base::Rng rng(8, "noise");
  Noise noise(32);
  for (size_t i = 1; i <= 20; ++i) {
    for (size_t m = 0; m < 32; ++m)
      noise.learn(m, rng.normal(0, std::sqrt(double(i))), 0, double(i));
  }
  noise.refresh();
  EXPECT_NEAR(noise.spread(0), std::sqrt(20.0), 1);
  EXPECT_LT(std::sqrt(noise.variance()), 3.6);
}

TEST(Noise, FewDifferencesAreNotKnown) {
  Noise noise(4);
  noise.learn(0, 1, 1, 8);
  noise.refresh();
  EXPECT_FALSE(noise.known());
}

TEST(Noise, OneMomentOfManyMachinesIsNotKnown) {
  const auto normal = [](base::Rng& r) {
    return r.normal(0, 1);
  };
  EXPECT_FALSE(learnt(normal, 1).known());
  EXPECT_TRUE(learnt(normal, 2).known());
}

TEST(Noise, WhatIsNoNumberAddsNothing) {
  Noise noise = learnt([](base::Rng& r) {
    return r.normal(0, 1);
  });
  const double spread = noise.spread(0);
  for (const double none : {std::nan(""), double(INFINITY)})
    noise.learn(0, none, none, 8);
  noise.refresh();
  EXPECT_EQ(noise.spread(0), spread);
  EXPECT_TRUE(std::isfinite(noise.threshold(5)));
}

// One difference in fifty is a burst, so that a machine without one has a small spread by chance.
TEST(Noise, BurstsDoNotMakeMachinesDiffer) {
  const Noise noise = learnt(
      [](base::Rng& r) {
        return r.normal(0, r.uniform() < 0.02 ? 20 : 1);
      },
      30);
  EXPECT_NEAR(noise.variance(), 9, 3);
  for (size_t m = 0; m < 32; ++m)
    EXPECT_GT(noise.spread(m), 0.7 * std::sqrt(noise.variance()));
}

TEST(Noise, AnEarlierTailRaisesTheThresholdAndIsNoSpread) {
  const auto normal = [](base::Rng& r) {
    return r.normal(0, 1);
  };
  const Noise hour = learnt(normal, 20);
  Noise after = learnt(normal, 20);
  after.add_tail({50'000, {{7, 3}, {6.5f, 30}}});
  EXPECT_GE(after.threshold(5.5), 6.9);
  EXPECT_GT(after.threshold(5.5), hour.threshold(5.5));
  EXPECT_EQ(after.spread(3), hour.spread(3));
  EXPECT_EQ(after.freedom(3), hour.freedom(3));
  Noise nothing(32);
  nothing.add_tail({50'000, {{7, 3}, {6.5f, 30}}});
  EXPECT_FALSE(nothing.known());
}

TEST(Gauss, StudentsTailIsAsUnlikelyAsItsNormalEquivalent) {
  EXPECT_NEAR(normal_equivalent(4.541, 3), normal_upper(0.01), 0.03);
  EXPECT_NEAR(normal_equivalent(-2.764, 10), -normal_upper(0.01), 0.01);
  EXPECT_NEAR(normal_upper(2.866516e-7), 5, 1e-5);
}

}  // namespace
}  // namespace lento::fleet

#include "evidence/e_process.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::evidence {
namespace {

TEST(NormalMixture, EqualsTheIntegralOverEffects) {
  const double tau = 0.7;
  NormalMixture m{.effect = tau};
  for (const double x : {0.3, 2.0, -0.5, 1.5})
    m.add(x);
  double integral = 0;
  constexpr double kStep = 1e-4;
  for (double d = kStep / 2; d < 8; d += kStep)
    integral +=
        kStep * 2 / (tau * std::sqrt(2 * M_PI)) * std::exp(-d * d / (2 * tau * tau) + d * 3.3 - 2 * d * d);
  EXPECT_NEAR(m.log_value(), std::log(integral), 1e-6);
  EXPECT_NEAR(NormalMixture{}.log_value(), 0, 1e-12);
}

TEST(NormalMixture, StaysFiniteFarBelowExpectation) {
  NormalMixture m;
  m.sum = -29.999;
  const double before = m.log_value();
  m.sum = -30.001;
  EXPECT_NEAR(m.log_value(), before, 2e-3);
  m.sum = -1e6;
  EXPECT_TRUE(std::isfinite(m.log_value()));
}

// Ville's promise at every instant of 2,000 steps, and the same watch on a rise of half a deviation.
TEST(NormalMixture, HealthyRunsRarelyEverCrossAndSickOnesSoonDo) {
  int crossed = 0;
  int found = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    base::Rng rng(seed, "ville");
    NormalMixture healthy;
    NormalMixture sick;
    bool ever = false;
    for (int i = 0; i < 2000; ++i) {
      healthy.add(rng.normal());
      ever = ever || healthy.log_value() >= std::log(20);
      if (i < 100)
        sick.add(rng.normal(0.5));
    }
    crossed += ever;
    found += sick.log_value() >= std::log(20);
  }
  EXPECT_LE(crossed, 32);  // 5 % of 400 and three deviations
  EXPECT_GE(found, 380);
}

TEST(BoundedBets, KeepThePromiseForAnyLawAndFindARise) {
  int crossed = 0;
  int found = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    base::Rng rng(seed, "bets");
    BoundedBets healthy{.healthy_mean = 0.1};
    BoundedBets sick{.healthy_mean = 0.1};
    bool ever = false;
    for (int i = 0; i < 1000; ++i) {
      healthy.add(rng.uniform() < 0.1);
      ever = ever || healthy.log_value() >= std::log(20);
      if (i < 100)
        sick.add(rng.uniform() < 0.3);
    }
    crossed += ever;
    found += sick.log_value() >= std::log(20);
  }
  EXPECT_LE(crossed, 32);
  EXPECT_GE(found, 380);
  BoundedBets odd;
  odd.add(1e300);
  odd.add(-1e300);
  EXPECT_TRUE(std::isfinite(odd.log_value()));
}

TEST(ChangeWatch, StepsBetweenFalseAlarmsAreAtLeastThePromise) {
  constexpr double kSteps = 200;
  double run_lengths = 0;
  double delay = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Rng rng(seed, "change");
    ChangeWatch w;
    while (w.value < kSteps) {
      w.add(normal_e(rng.normal(), 1));
      ++run_lengths;
    }
    ChangeWatch sick;
    for (; sick.value < kSteps; ++delay)
      sick.add(normal_e(rng.normal(1), 1));
  }
  EXPECT_GE(run_lengths / 200, kSteps);
  EXPECT_LE(delay / 200, 20);
}

TEST(ChangeWatch, NeverOverflows) {
  ChangeWatch w;
  for (int i = 0; i < 10; ++i)
    w.add(1e300);
  EXPECT_TRUE(std::isfinite(w.value));
}

TEST(EOfChance, AveragesToOneOverUniformChances) {
  double sum = 0;
  constexpr int n = 200'000;
  for (int i = 0; i < n; ++i) {
    const double u = (i + 0.5) / n;  // p = u^8 spreads the mass near 0
    sum += e_of_chance(std::pow(u, 8)) * 8 * std::pow(u, 7) / n;
  }
  EXPECT_NEAR(sum, 1, 0.03);  // the rest lies below the smallest p: 1 / -log(p)
  EXPECT_EQ(e_of_chance(1), 0.5);
  EXPECT_NEAR(e_of_chance(std::exp(-0.99e-4)), e_of_chance(std::exp(-1.01e-4)), 1e-6);
  EXPECT_EQ(e_of_chance(0), INFINITY);
}

}  // namespace
}  // namespace lento::evidence

// When short deviations are rare enough to be believed: the closed form and its borders.
#include "fleet/detect/bursts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

Judged with(double score, bool steady = false) {
  Judged j;
  j.score = float(score);
  j.steady = steady;
  return j;
}

constexpr Bursts::Job kJob{64, 2, 140 / 3600.0, 0.1};

// Bursts an hour, machine and metric at which pairs of them use up the budget of alarms.
double limit(const Bursts::Job& job) {
  const double pairs = 24 * double(job.machines * job.metrics) * job.window_h * tuning::kChained.value;
  return std::sqrt(job.alarms_per_day / pairs);
}

TEST(Bursts, AreRareWhileTheirPairsKeepTheBudget) {
  for (const double count : {0.0, 1.0, 7.0, 1000.0}) {
    const double hours = (count + tuning::kAssumedBursts.value) / limit(kJob);
    Bursts bursts(kJob);
    bursts.restore(count, hours * 0.999);
    EXPECT_FALSE(bursts.rare()) << count;
    bursts.restore(count, hours * 1.001);
    EXPECT_TRUE(bursts.rare()) << count;
  }
}

TEST(Bursts, MoreMachinesOrMetricsAllowFewer) {
  const auto needs = [](Bursts::Job job) {
    Bursts bursts(job);
    double hours = 0.01;
    for (; !bursts.rare(); hours *= 1.01)
      bursts.restore(3, hours);
    return hours;
  };
  EXPECT_NEAR(needs({256, 2, 0.04, 0.1}) / needs({64, 2, 0.04, 0.1}), 2, 0.05);
  EXPECT_NEAR(needs({64, 8, 0.04, 0.1}) / needs({64, 2, 0.04, 0.1}), 2, 0.05);
  EXPECT_NEAR(needs({64, 2, 0.04, 0.4}) / needs({64, 2, 0.04, 0.1}), 0.5, 0.02);
}

TEST(Bursts, OneIsADeviationThatEndsBelowRest) {
  Bursts bursts(kJob);
  const double rest = tuning::kAtRest.value;
  bursts.see(5, with(1));
  bursts.see(5, with(rest + 0.01));
  EXPECT_EQ(bursts.count(), 0);  // not over yet
  bursts.see(5, with(1.5));
  bursts.see(5, with(rest - 0.01));
  EXPECT_EQ(bursts.count(), 1);
  bursts.see(5, with(0));
  EXPECT_EQ(bursts.count(), 1);
  bursts.see(5, with(0.99));
  bursts.see(5, with(0));
  EXPECT_EQ(bursts.count(), 1);  // under the threshold
}

TEST(Bursts, WhatEverLastedIsNone) {
  Bursts bursts(kJob);
  bursts.see(5, with(1.2));
  bursts.see(5, with(1.2, true));
  bursts.see(5, with(1.2));
  bursts.see(5, with(0));
  EXPECT_EQ(bursts.count(), 0);
  bursts.see(5, with(0.9, true));  // steady, but not over the threshold
  bursts.see(5, with(0));
  EXPECT_EQ(bursts.count(), 0);
}

TEST(Bursts, CellsAreCountedApart) {
  Bursts bursts(kJob);
  for (size_t cell = 0; cell < 10; ++cell)
    bursts.see(cell, with(1));
  for (size_t cell = 0; cell < 4; ++cell)
    bursts.see(cell, with(0));
  EXPECT_EQ(bursts.count(), 4);
}

// Two deviations under way may be real faults; a third counts like a burst until it has ended.
TEST(Bursts, TwoUnderWayAreFree) {
  const double hours = (1 + tuning::kAssumedBursts.value) / limit(kJob);
  Bursts bursts(kJob);
  bursts.restore(0, hours * 1.001);
  for (size_t cell = 0; cell < 3; ++cell)
    bursts.see(cell, with(1));
  EXPECT_TRUE(bursts.rare());
  bursts.see(3, with(1));
  EXPECT_FALSE(bursts.rare());
  bursts.see(3, with(1, true));  // it lasts
  EXPECT_TRUE(bursts.rare());
  bursts.see(3, with(0));
  EXPECT_TRUE(bursts.rare());
}

TEST(Bursts, TimePasses) {
  Bursts bursts(kJob);
  bursts.pass(1.5);
  bursts.pass(2);
  EXPECT_DOUBLE_EQ(bursts.hours(), 3.5);
}

TEST(Bursts, AStateThatCannotBeIsIgnored) {
  Bursts bursts(kJob);
  bursts.restore(3, 40);
  const double nan = std::nan("");
  for (const auto& [count, hours] :
       {std::pair{-1.0, 1.0}, {1.0, -1.0}, {nan, 1.0}, {1.0, nan}, {1e15, 1.0}, {1.0, 1e15}}) {
    bursts.restore(count, hours);
    EXPECT_EQ(bursts.count(), 3);
    EXPECT_EQ(bursts.hours(), 40);
  }
  bursts.restore(0, 0);
  EXPECT_EQ(bursts.count(), 0);
  EXPECT_EQ(bursts.hours(), 0);
}

}  // namespace
}  // namespace lento::fleet

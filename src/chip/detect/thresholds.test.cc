#include "chip/detect/thresholds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::chip {
namespace {

Suspect shown(const Component& component, double strength) {
  Suspect s;
  s.component = component;
  s.strength = strength;
  return s;
}

const Component kQuiet{Part::Link, 0, 1};
const Component kBusy{Part::Link, 1, 2};

// The chance of a case beyond what is needed, by the law that the header states.
double beyond(double needed, double runs, double sum) {
  return std::pow(1 + needed / (runs + sum), -2 * runs);
}

TEST(Thresholds, AllComponentsTogetherKeepTheBudget) {
  const std::vector<std::vector<Suspect>> runs{{shown(kBusy, 1)}, {shown(kBusy, 5)}, {}};
  const Thresholds t(runs, 100, 0.01);
  EXPECT_NEAR(100 * beyond(t.needed(kBusy), 3, 6), 0.01, 1e-9);
  EXPECT_NEAR(100 * beyond(t.needed(kQuiet), 3, 0), 0.01, 1e-9);
}

TEST(Thresholds, AComponentThatShowsMoreNeedsMore) {
  const std::vector<std::vector<Suspect>> runs{{shown(kBusy, 1)}, {shown(kBusy, 5)}, {shown(kBusy, 3)}};
  const Thresholds t(runs, 100, 0.01);
  EXPECT_NEAR(t.needed(kBusy) / t.needed(kQuiet), (3 + 9) / 3.0, 1e-9);
  EXPECT_GT(t.needed(kBusy), 5);  // more than it ever showed
}

TEST(Thresholds, ASmallerBudgetAndFewerRunsAskForMore) {
  const auto needed = [](size_t runs, double budget) {
    return Thresholds(std::vector<std::vector<Suspect>>(runs), 80, budget).needed(kQuiet);
  };
  EXPECT_GT(needed(6, 0.001), needed(6, 0.01));
  EXPECT_GT(needed(3, 0.01), needed(6, 0.01));
  EXPECT_GT(needed(2, 0.01), needed(3, 0.01));
}

TEST(Thresholds, OfManyRunsWithAnIdealLikelihoodTheyAreItsOwn) {
  const std::vector<std::vector<Suspect>> runs(100'000, {shown(kBusy, 1)});
  EXPECT_NEAR(Thresholds(runs, 80, 0.01).needed(kBusy), std::log(80 / 0.01), 0.01);
}

TEST(Thresholds, ABudgetLargerThanTheComponentsAsksForNothing) {
  EXPECT_EQ(Thresholds(std::vector<std::vector<Suspect>>(6), 3, 4).needed(kQuiet), 0);
  EXPECT_EQ(Thresholds::by_chance(3, 4), 0);
}

TEST(Thresholds, WhatChanceGainsGrowsWithTheLogarithmOfTheChances) {
  EXPECT_NEAR(Thresholds::by_chance(64, 0.005), std::log(64 / 0.005), 1e-12);
}

// Healthy chips whose components show what chance lets them: the budget is kept.
TEST(Thresholds, KeepTheBudgetOfFalseAlarms) {
  constexpr int kRuns = 1000;
  constexpr double kBudget = 0.05;
  base::Rng rng(11, "thresholds.alarms");
  const auto run_of = [&] {
    std::vector<Suspect> out;
    for (int link = 0; link < 60; ++link)
      out.push_back(shown({Part::Link, link, link + 1}, rng.exponential(1.5)));
    return out;
  };
  int alarms = 0;
  for (int i = 0; i < kRuns; ++i) {
    std::vector<std::vector<Suspect>> draws;
    for (int d = 0; d < 6; ++d)
      draws.push_back(run_of());
    const Thresholds t(draws, 60, kBudget);
    for (const Suspect& s : run_of())
      if (s.strength >= t.needed(s.component)) {
        ++alarms;
        break;
      }
  }
  // Expected at most the budget; five deviations of a binomial of it above.
  EXPECT_LT(alarms, kRuns * kBudget + 5 * std::sqrt(kRuns * kBudget));
  EXPECT_GT(alarms, 0);
}

}  // namespace
}  // namespace lento::chip

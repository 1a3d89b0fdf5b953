#include "chip/detect/thresholds.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// Of 8 nats: four standard deviations, where these are more than 8.
TEST(Thresholds, WhatChanceGainsGrowsWithTheScatterOfHealthyRuns) {
  const double budget = std::exp(-8.0);
  EXPECT_NEAR(Thresholds::by_chance(1, budget, 0), 8, 1e-9);
  EXPECT_NEAR(Thresholds::by_chance(1, budget, 1.9), 8, 1e-9);
  EXPECT_NEAR(Thresholds::by_chance(1, budget, 3), 12, 1e-9);
  EXPECT_EQ(Thresholds::by_chance(3, 4, 100), 0);
}

// Maxima of 10, 20 and 30: a median of 20 and quartiles 10 apart, a scale of 10 / 1.5725.
TEST(Thresholds, OfTheWholeChipTheLargestStrengthsDecide) {
  const std::vector<std::vector<Suspect>> runs{
      {shown(kBusy, 10), shown(kQuiet, 3)},
      {shown(kQuiet, 20)},
      {shown(kBusy, 30)}};
  const double expected = 20 + 10 / 1.5725 * (std::log(std::log(2)) - std::log(-std::log(1 - 0.01)));
  EXPECT_NEAR(Thresholds(runs, 100, 0.01).of_the_chip(), expected, 0.01);
  EXPECT_GT(Thresholds(runs, 100, 0.001).of_the_chip(), expected);
}

TEST(Thresholds, OneRunInAnotherRhythmMovesTheWholeChipLittle) {
  std::vector<std::vector<Suspect>> runs;
  for (const double strength : {4.0, 5.0, 6.0, 7.0, 8.0, 8.0})
    runs.push_back({shown(kBusy, strength)});
  const double before = Thresholds(runs, 100, 0.01).of_the_chip();
  runs.back() = {shown(kBusy, 100)};
  EXPECT_EQ(Thresholds(runs, 100, 0.01).of_the_chip(), before);
}

// No draws that happen to agree make it less than one component needs, nor its scale less than an ideal
// one's.
TEST(Thresholds, OfTheWholeChipNoLessThanAQuietComponentNeeds) {
  const Thresholds none(std::vector<std::vector<Suspect>>(3), 100, 0.01);
  EXPECT_EQ(none.of_the_chip(), none.needed(kQuiet));
  const std::vector<std::vector<Suspect>> runs(3, {shown(kBusy, 50)});
  EXPECT_NEAR(Thresholds(runs, 100, 0.01).of_the_chip(), 50 - 0.3665 + 4.6, 0.01);
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
  int beyond_all = 0;
  for (int i = 0; i < kRuns; ++i) {
    std::vector<std::vector<Suspect>> draws;
    for (int d = 0; d < 6; ++d)
      draws.push_back(run_of());
    const Thresholds t(draws, 60, kBudget);
    const std::vector<Suspect> next = run_of();
    alarms += std::ranges::any_of(next, [&](const Suspect& s) {
      return s.strength >= t.needed(s.component);
    });
    beyond_all += std::ranges::any_of(next, [&](const Suspect& s) {
      return s.strength >= t.of_the_chip();
    });
  }
  // Expected at most the budget; five deviations of a binomial of it above.
  EXPECT_LT(alarms, kRuns * kBudget + 5 * std::sqrt(kRuns * kBudget));
  EXPECT_GT(alarms, 0);
  EXPECT_LT(beyond_all, 3 * kRuns * kBudget);  // six draws tell little of a scale
  EXPECT_GT(beyond_all, kRuns * kBudget / 3);
}

}  // namespace
}  // namespace lento::chip

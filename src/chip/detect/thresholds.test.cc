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

TEST(Thresholds, WhereNothingShowsTheyAreThoseOfAnIdealLikelihood) {
  const std::vector<std::vector<Suspect>> nothing(6);
  const Thresholds t(nothing, 80, 0.005);
  EXPECT_EQ(t.slope(), 1);
  EXPECT_NEAR(t.needed(kQuiet), std::log(80 / (6 * 0.005)), 1e-12);
}

TEST(Thresholds, AComponentNeedsMoreThanItEverShowed) {
  const std::vector<std::vector<Suspect>> runs{{shown(kBusy, 1)}, {shown(kBusy, 5)}, {shown(kBusy, 3)}};
  const Thresholds t(runs, 100, 0.01);
  EXPECT_NEAR(t.needed(kBusy) - t.needed(kQuiet), 5, 1e-12);
  EXPECT_EQ(t.most(kBusy), 5);
  EXPECT_EQ(t.most(kQuiet), 0);
}

TEST(Thresholds, ASmallerBudgetAndFewerRunsAskForMore) {
  const auto needed = [](size_t runs, double budget) {
    return Thresholds(std::vector<std::vector<Suspect>>(runs), 80, budget).needed(kQuiet);
  };
  EXPECT_NEAR(needed(6, 0.001) - needed(6, 0.01), std::log(10), 1e-12);
  EXPECT_NEAR(needed(3, 0.01) - needed(6, 0.01), std::log(2), 1e-12);
}

TEST(Thresholds, ABudgetLargerThanTheRunsAsksForNothingMore) {
  EXPECT_EQ(Thresholds(std::vector<std::vector<Suspect>>(6), 3, 1).needed(kQuiet), 0);
}

// Strengths that fall off like an exponential of this slope: it is found again.
TEST(Thresholds, TheSlopeIsThatOfTheTail) {
  for (const double slope : {1.5, 4.0}) {
    base::Rng rng(3, "thresholds.test");
    std::vector<std::vector<Suspect>> runs(40);
    for (std::vector<Suspect>& run : runs)
      for (int link = 0; link < 100; ++link)
        run.push_back(shown({Part::Link, link, link + 1}, rng.exponential(slope)));
    EXPECT_NEAR(Thresholds(runs, 100, 0.005).slope(), slope, 0.15 * slope);
  }
}

TEST(Thresholds, ARunThatShowsMoreEverywhereNeedsMore) {
  std::vector<std::vector<Suspect>> runs(4);
  std::vector<Suspect> twice;
  for (int link = 0; link < 100; ++link) {
    for (std::vector<Suspect>& run : runs)
      run.push_back(shown({Part::Link, link, link + 1}, 4 + 0.01 * link));
    twice.push_back(shown({Part::Link, link, link + 1}, 8 + 0.02 * link));
  }
  Thresholds t(runs, 100, 0.005);
  const double before = t.needed(kQuiet);
  t.judge(runs[0]);
  EXPECT_NEAR(t.needed(kQuiet), before, 1e-9);
  t.judge(twice);
  EXPECT_NEAR(t.needed(kQuiet), 2 * before, 0.02 * before);
  t.judge({});
  EXPECT_NEAR(t.needed(kQuiet), before, 1e-9);
}

// One faulty component and its neighbours are few of all: they do not hide themselves.
TEST(Thresholds, AFaultDoesNotRaiseWhatItNeeds) {
  std::vector<std::vector<Suspect>> runs(4);
  std::vector<Suspect> faulty;
  for (int link = 0; link < 100; ++link) {
    for (std::vector<Suspect>& run : runs)
      run.push_back(shown({Part::Link, link, link + 1}, 1));
    faulty.push_back(shown({Part::Link, link, link + 1}, link < 15 ? 300 : 1));
  }
  Thresholds t(runs, 100, 0.005);
  const double before = t.needed(kQuiet);
  t.judge(faulty);
  EXPECT_EQ(t.needed(kQuiet), before);
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

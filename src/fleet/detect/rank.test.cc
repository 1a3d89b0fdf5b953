// Ranking machines over given windows.
#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

std::vector<size_t> order(const std::vector<RankedMachine>& ranked) {
  std::vector<size_t> out;
  for (const RankedMachine& r : ranked)
    out.push_back(r.machine);
  return out;
}

TEST(RankWindows, EachWindowIsRankedByItself) {
  const auto s = test::job(12, 600, {"power", "clock"}, {{3, 0, 300, 0.9}});
  const auto windows = rank_windows(s, {60, 20, {240, 400, 560}}, {});
  ASSERT_EQ(windows.size(), 3u);
  for (const auto& w : windows) {
    ASSERT_EQ(w.size(), 12u);
    EXPECT_TRUE(std::ranges::is_sorted(w, [](const RankedMachine& a, const RankedMachine& b) {
      return a.score > b.score;
    }));
    auto all = order(w);
    std::ranges::sort(all);
    for (size_t m = 0; m < 12; ++m)
      EXPECT_EQ(all[m], m);  // each once
  }
  EXPECT_EQ(windows[1][0].machine, 3u);
  EXPECT_LT(windows[0][0].score, windows[1][0].score);
}

// Walking on to a later window does not change an earlier one.
TEST(RankWindows, ManyAreWhatEachWouldBeAlone) {
  const auto s = test::job(12, 600, {"power"}, {{3, 0, 300, 0.9}});
  const auto together = rank_windows(s, {60, 20, {400, 560}}, {});
  const auto alone = rank_windows(s, {60, 20, {400}}, {});
  ASSERT_EQ(together[0].size(), alone[0].size());
  for (size_t i = 0; i < alone[0].size(); ++i) {
    EXPECT_EQ(together[0][i].machine, alone[0][i].machine);
    EXPECT_EQ(together[0][i].score, alone[0][i].score);
  }
}

TEST(RankMachines, AShortPeriodIsEightSteps) {
  const auto s = test::job(12, 400, {"power"}, {{7, 0, 396, 0.5}});
  const auto eight = rank_machines(s, 392, 400, {});
  const auto one = rank_machines(s, 399, 400, {});
  EXPECT_EQ(one[0].machine, 7u);
  for (size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(one[i].score, eight[i].score);
  // Beyond the end there is nothing.
  EXPECT_EQ(order(rank_machines(s, 392, 9999, {})), order(eight));
}

TEST(RankMachines, PeersAreThoseOfTheGroup) {
  auto s = test::job(16, 400, {"power"});
  for (size_t m = 0; m < 16; ++m)
    s.labels[m] = {{"stage", m < 8 ? "0" : "1"}};
  for (size_t t = 0; t < 400; ++t) {
    for (size_t m = 8; m < 16; ++m)
      s.row(0, t)[m] *= 3;  // the second stage works at another level
    if (t >= 300)
      s.row(0, t)[12] *= 0.8f;
  }
  EXPECT_EQ(rank_machines(s, 300, 400, {})[0].machine, 12u);
}

TEST(RankMachines, OnlyTheMetricsNamedCount) {
  const auto s = test::job(12, 400, {"power", "clock"}, {{7, 0, 300, 0.5}, {2, 1, 300, 0.5}});
  DetectOptions o;
  o.metrics = {"clock"};
  EXPECT_EQ(rank_machines(s, 300, 400, o)[0].machine, 2u);
  o.metrics = {"power"};
  EXPECT_EQ(rank_machines(s, 300, 400, o)[0].machine, 7u);
}

TEST(RankMachines, TooFewPeersHaveNoScore) {
  const auto s = test::job(2, 400, {"power"}, {{1, 0, 300, 0.5}});
  for (const RankedMachine& r : rank_machines(s, 300, 400, {}))
    EXPECT_EQ(r.score, 0);
}

// The mean of the top quarter of the metrics: one of four, two of five to eight.
TEST(RankMachines, TheTopQuarterOfMetricsCounts) {
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  const auto one_of = [&](size_t metrics) {
    const std::vector<std::string> used(names.begin(), names.begin() + std::ptrdiff_t(metrics));
    const auto s = test::job(12, 400, used, {{7, 0, 300, 0.5}});
    return rank_machines(s, 300, 400, {})[0].score;
  };
  EXPECT_NEAR(one_of(5) / one_of(4), 0.5, 0.1);  // beside another metric's noise
}

}  // namespace
}  // namespace lento::fleet

// Drawn jobs of ranks: every one can be, every fault is drawn, and a line says all of a result.
#include "lab/fleet/rank_campaign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace lento::fleet {
namespace {

TEST(RankCase, EveryJobCanBeAndIsItsSeeds) {
  std::set<RankFaultKind> faults;
  std::set<int> sizes;
  int inspectors = 0;
  for (uint64_t i = 0; i < 60; ++i) {
    const RankCaseOptions o{3, false, 64};
    const RankCase c = rank_case(o, i);
    const RankJob& j = c.job;
    EXPECT_EQ(c.index, i);
    EXPECT_GE(j.ranks(), 8);
    EXPECT_LE(j.ranks(), 64);
    EXPECT_EQ(j.cp * j.dp % j.ep, 0);
    EXPECT_GE(j.ranks() / j.pp, 2 * j.gpus_a_host);  // a stage reaches over two hosts
    EXPECT_GT(j.factor, 1);
    EXPECT_LT(j.from_step, j.steps);
    if (j.fault == RankFaultKind::SlowLink) {
      EXPECT_GE(j.tp, 2);
      EXPECT_LE(j.tp, j.gpus_a_host);
    }
    faults.insert(j.fault);
    sizes.insert(j.ranks());
    inspectors += c.inspector;
    const RankCase again = rank_case(o, i);
    EXPECT_EQ(again.job.seed, j.seed);
    EXPECT_EQ(again.job.fault, j.fault);
    EXPECT_EQ(again.inspector, c.inspector);
  }
  EXPECT_EQ(faults.size(), 6U);
  EXPECT_GE(sizes.size(), 3U);
  EXPECT_GT(inspectors, 15);
  EXPECT_LT(inspectors, 45);
}

TEST(RankCase, HealthyJobsHaveNothingThatIsSlow) {
  for (uint64_t i = 0; i < 20; ++i) {
    const RankCase c = rank_case({1, true, 32}, i);
    EXPECT_TRUE(c.job.fault == RankFaultKind::None || c.job.fault == RankFaultKind::Imbalance);
    EXPECT_GT(c.job.steps, 50);
  }
}

// Commas outside of quotes.
size_t fields_of(const std::string& line) {
  size_t count = 1;
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    count += c == ',' && !quoted;
  }
  return count;
}

TEST(RankResult, ALineHasAFieldForEveryColumn) {
  RankResult r;
  EXPECT_EQ(fields_of(rank_result_line(r)), fields_of(rank_result_header()));
  r.said = "slow GPU rank5, then \"another\"";
  EXPECT_EQ(fields_of(rank_result_line(r)), fields_of(rank_result_header()));
  EXPECT_EQ(std::ranges::count(rank_result_line(r), '\n'), 1);
}

// A large fault of a small job is found by both kinds of traces, and only it.
TEST(RankResult, ALargeFaultIsNamedWithItsPlace) {
  for (const bool inspector : {false, true}) {
    RankCase c = rank_case({3, false, 16}, 0);
    c.inspector = inspector;
    c.job.fault = RankFaultKind::SlowGpu;
    c.job.factor = 2;
    c.job.from_step = 0;
    const RankResult r = judge_rank_case(c);
    EXPECT_TRUE(r.right) << r.said;
    EXPECT_TRUE(r.right_kind);
    EXPECT_EQ(r.wrong, 0) << r.said;
    EXPECT_NEAR(r.what_if_error, 0, 0.1);
    c.job.fault = RankFaultKind::None;
    EXPECT_EQ(judge_rank_case(c).findings, 0) << r.said;
  }
}

}  // namespace
}  // namespace lento::fleet

// Suspects from durations alone: who comes last waits for nobody.
#include <gtest/gtest.h>

#include "fleet/ranks/analyse.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/test_job.h"

namespace lento::fleet::ranks {
namespace {

using test::Small;

std::vector<DurationSuspect> suspects(const Small& s) {
  const auto traces = test::without_times(test::build(s));
  const Analysis a = analyse(traces, {});
  return suspects_by_duration(a.job, a.channels);
}

TEST(Durations, ASlowRankIsTheLastOfAllItsGroups) {
  for (const int rank : {0, 1, 4, 5}) {
    Small s;
    s.slow_rank = rank;
    const auto found = suspects(s);
    ASSERT_EQ(found.size(), 1u) << rank;
    EXPECT_EQ(found[0].rank, rank);
    EXPECT_GT(found[0].last_share, 0.9);
    EXPECT_GT(found[0].lag_ns, 0);
  }
}

TEST(Durations, OfASlowHostAllRanksAreLastBesideOthers) {
  Small s;
  s.slow_host = 2;
  const auto found = suspects(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, -1);
  EXPECT_EQ(found[0].host, 2);
}

// Thirty healthy jobs of fresh seeds: nobody.
TEST(Durations, OfHealthyJobsNobodyIs) {
  for (uint64_t seed = 50; seed < 80; ++seed) {
    Small s;
    s.seed = seed;
    EXPECT_TRUE(suspects(s).empty()) << seed;
  }
}

TEST(Durations, UnderTwentyInstancesAShareSaysLittle) {
  Small s;
  s.slow_rank = 5;
  s.factor = 2;
  s.steps = 19;  // its groups across hosts meet once a step
  for (const DurationSuspect& one : suspects(s))
    EXPECT_NE(one.rank, -1);
  s.steps = 4;
  EXPECT_TRUE(suspects(s).empty());
}

TEST(Durations, SuspectsAreNoFindingsWithCosts) {
  Small s;
  s.slow_rank = 5;
  const finding::Diagnosis d = diagnose_ranks(test::without_times(test::build(s)), {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].score, 0.5);
  EXPECT_FALSE(d.findings[0].lost_share);
  EXPECT_NE(d.covered.find("durations only"), std::string::npos);
  const finding::Diagnosis healthy = diagnose_ranks(test::without_times(test::build({})), {});
  EXPECT_EQ(healthy.outcome, finding::Outcome::CannotJudge);
  EXPECT_NE(healthy.reason.find("no rank is clearly the last"), std::string::npos);
}

}  // namespace
}  // namespace lento::fleet::ranks

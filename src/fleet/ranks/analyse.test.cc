// Jobs in memory whose fault is known: what is accused, and that nothing else is.
#include "fleet/ranks/analyse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fleet/ranks/ranks.h"
#include "fleet/ranks/test_job.h"

namespace lento::fleet::ranks {
namespace {

using test::build;
using test::Small;

TEST(Analyse, HealthyJobAccusesNobodyAndAlignsItsClocks) {
  const std::vector<RankTrace> traces = build({});
  const Analysis a = analyse(traces, {});
  EXPECT_TRUE(a.culprits.empty());
  EXPECT_EQ(a.job.steps, 60);
  EXPECT_EQ(a.job.matching.matched, a.job.matching.records);
  ASSERT_TRUE(a.clocks.aligned());
  for (int h = 0; h < 4; ++h) {
    const CollectiveRecord& last = traces[2 * h].records.back();
    const double true_ns = (double(last.end_ns - 1000000000000000) - h * 7e6) / (1 + h * 30e-6);
    EXPECT_NEAR(double(a.clocks.corrected(h, last.end_ns) - 1000000000000000), true_ns, 0.05e6);
    EXPECT_LE(a.clocks.hosts[h].drift95.low, h * 30e-6);
    EXPECT_GE(a.clocks.hosts[h].drift95.high, h * 30e-6);
  }
  EXPECT_EQ(diagnose_ranks(traces, {}).outcome, finding::Outcome::Healthy);
}

TEST(Analyse, SlowRankIsNamedWithItsOnsetAndCost) {
  Small s;
  s.slow_rank = 5;
  s.from = 30;
  const std::vector<RankTrace> traces = build(s);
  const Analysis a = analyse(traces, {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].kind, FaultKind::SlowGpu);
  EXPECT_EQ(a.culprits[0].rank, 5);
  EXPECT_NEAR(a.culprits[0].stretch.begin, 30, 2);
  EXPECT_NEAR(a.culprits[0].excess_ns, 0.3 * 20e6, 0.6e6);
  // Every group waits for it in the end: the step is longer by about its excess.
  EXPECT_NEAR(a.culprits[0].lost_ns, 6e6, 1e6);
}

// Few noisy steps: one rank of the host passes the threshold before the other does.
TEST(Analyse, HostIsNamedWhereOneOfItsRanksIsSureAndTheOtherShowsIt) {
  int hosts = 0;
  int ranks = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Small s;
    s.slow_host = 2;
    s.from = 52;
    s.noise = 0.16;
    s.seed = seed;
    for (const Culprit& c : analyse(build(s), {}).culprits) {
      EXPECT_EQ(c.host, 2);
      hosts += c.rank < 0;
      ranks += c.rank >= 0;
      if (c.rank < 0) {
        EXPECT_EQ(c.ranks, (std::vector<int>{4, 5}));
      }
    }
  }
  EXPECT_GT(hosts, 15);
  EXPECT_LT(ranks, hosts / 4);
}

TEST(Analyse, NeighbourOfASlowRankIsNotDrawnIntoIt) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Small s;
    s.slow_rank = 4;
    s.from = 52;
    s.noise = 0.16;
    s.seed = seed;
    for (const Culprit& c : analyse(build(s), {}).culprits) {
      EXPECT_EQ(c.rank, 4) << seed;
      ++found;
    }
  }
  EXPECT_GT(found, 15);
}

TEST(Analyse, WholeHostIsNamedInsteadOfItsRanks) {
  Small s;
  s.slow_host = 2;
  const Analysis a = analyse(build(s), {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].kind, FaultKind::SlowHost);
  EXPECT_EQ(a.culprits[0].host, 2);
  EXPECT_EQ(a.culprits[0].rank, -1);
}

TEST(Analyse, LinksInsideASlowHostFollowFromItAndStandAloneOtherwise) {
  Small s;
  s.slow_fabric = 2;
  s.factor = 1.6;
  s.from = 20;
  const Analysis alone = analyse(build(s), {});
  ASSERT_EQ(alone.culprits.size(), 1u);
  EXPECT_EQ(alone.culprits[0].kind, FaultKind::SlowLink);
  s.slow_host = 2;
  const Analysis both = analyse(build(s), {});
  ASSERT_EQ(both.culprits.size(), 1u);
  EXPECT_EQ(both.culprits[0].kind, FaultKind::SlowHost);
  s.slow_host = 1;
  EXPECT_EQ(analyse(build(s), {}).culprits.size(), 2u) << "another host explains nothing";
}

TEST(Analyse, SlowNicIsToldFromItsHost) {
  Small s;
  s.slow_nic = 1;
  s.from = 20;
  s.factor = 2;
  const Analysis a = analyse(build(s), {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].kind, FaultKind::SlowLink);
  const SlowPart& part = a.parts[a.culprits[0].part];
  // Hosts 0 and 1 share all their channels between hosts: either NIC explains them.
  EXPECT_TRUE(part.part.a == 0 || part.part.a == 1);
  EXPECT_FALSE(part.alternatives.empty());
  EXPECT_NEAR(a.culprits[0].factor, 2, 0.2);
}

TEST(Analyse, WithoutNumbersPlacesInTheStepMatch) {
  Small s;
  s.sequences = false;
  s.slow_rank = 2;
  const Analysis a = analyse(build(s), {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].rank, 2);
}

TEST(Analyse, SizesThatDisagreeDoNotMatch) {
  Small s;
  s.swap_sizes = true;
  const Analysis a = analyse(build(s), {});
  EXPECT_EQ(a.job.matching.mismatched, 6u);
  EXPECT_FALSE(a.job.matching.complaints.empty());
}

TEST(Analyse, TooLittleIsNotJudged) {
  std::vector<RankTrace> traces = build({});
  traces.resize(1);
  finding::Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_FALSE(d.remedy.empty());
  traces[0].records.clear();
  traces[0].unlabelled = traces[0].communication = 20;
  d = diagnose_ranks(traces, {});
  EXPECT_NE(d.reason.find("carry no arguments"), std::string::npos);
}

TEST(Analyse, DurationsAloneMakeSuspects) {
  Small s;
  s.slow_rank = 5;
  const finding::Diagnosis d = diagnose_ranks(test::without_times(build(s)), {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "rank5");
  EXPECT_EQ(d.findings[0].category, "suspect: slow GPU");
}

}  // namespace
}  // namespace lento::fleet::ranks

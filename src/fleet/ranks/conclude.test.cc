// A diagnosis of collectives in words: what a finding says, what the facts count, why nothing can be said.
#include <gmock/gmock.h>

#include "fleet/ranks/ranks.h"
#include "fleet/ranks/test_job.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Finding;
using finding::Outcome;
using fleet::ranks::RankTrace;
using ranks::test::build;
using ranks::test::Small;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

const finding::Evidence* evidence(const Finding& f, const std::string& part) {
  for (const finding::Evidence& e : f.evidence) {
    if (e.text.find(part) != std::string::npos)
      return &e;
  }
  return nullptr;
}

double value(const Finding& f, const std::string& part) {
  const finding::Evidence* e = evidence(f, part);
  return e != nullptr && e->value ? *e->value : -1;
}

Small slow_rank() {
  Small s;
  s.slow_rank = 5;
  s.from = 30;
  return s;
}

TEST(ConcludeRanks, AFindingSaysWhoByHowMuchSinceWhenAndWhatItCosts) {
  const Diagnosis d = diagnose_ranks(build(slow_rank()), {});
  ASSERT_EQ(d.outcome, Outcome::Findings);
  ASSERT_EQ(d.findings.size(), 1u);
  const Finding& f = d.findings[0];
  EXPECT_EQ(f.subject, "rank5");
  EXPECT_EQ(f.category, "slow GPU");
  EXPECT_NEAR(*f.factor, 1.3, 0.03);
  EXPECT_THAT(f.summary, StartsWith("rank5 (host2, GPU 1) takes "));
  EXPECT_NEAR(value(f, "own time a step"), 26, 0.8);
  EXPECT_NEAR(value(f, "own time of its peers"), 20, 0.6);
  EXPECT_NEAR(value(f, "excess a step"), 6, 0.6);
  EXPECT_NEAR(value(f, "a step would be shorter"), 6, 1);
  EXPECT_NEAR(*f.lost_share, 6.0 / 34, 0.06);
  EXPECT_NEAR(value(f, "from step"), 30, 2);
  EXPECT_GT(value(f, "time inside collectives"), 0);
  // It waits for nobody; its peers wait for it.
  EXPECT_LT(value(f, "time inside collectives"), value(f, "the same of its peers"));
  EXPECT_NE(evidence(f, "kernels were not recorded"), nullptr);
  EXPECT_THAT(f.next_step, HasSubstr("clocks, power cap"));
  ASSERT_TRUE(f.when);
  EXPECT_GT(f.when->end, f.when->begin);
  EXPECT_THAT(d.verdict, HasSubstr("without it the mean step would take"));
}

TEST(ConcludeRanks, TheFactsCountTheJob) {
  const Diagnosis d = diagnose_ranks(build(slow_rank()), {});
  EXPECT_THAT(d.facts, Contains(Pair("ranks", "8 of 8")));
  EXPECT_THAT(d.facts, Contains(Pair("hosts", "4")));
  EXPECT_THAT(d.facts, Contains(Pair("steps", "60")));
  EXPECT_THAT(d.facts, Contains(Pair("collectives", std::to_string(60 * (16 + 4 + 2)))));
  EXPECT_THAT(d.facts, Contains(Pair("clocks", StartsWith("aligned, links disagree by "))));
  EXPECT_EQ(d.covered, "8 ranks on 4 hosts, 60 steps, 1320 collectives matched");
}

TEST(ConcludeRanks, AFaultThatEndsIsSaidToEnd) {
  // Slow in the first half: the same job, its steps counted the other way round.
  Small s = slow_rank();
  std::vector<RankTrace> traces = build(s);
  for (RankTrace& t : traces) {
    for (fleet::ranks::CollectiveRecord& r : t.records)
      r.step = (r.step + 30) % 60;
    std::ranges::stable_sort(t.records, {}, &fleet::ranks::CollectiveRecord::begin_ns);
  }
  const Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_EQ(d.outcome == Outcome::Findings, !d.findings.empty());
}

TEST(ConcludeRanks, ALinkIsSaidWithWhatCannotBeToldFromIt) {
  Small s;
  s.slow_nic = 1;
  s.factor = 2;
  const Diagnosis d = diagnose_ranks(build(s), {});
  ASSERT_EQ(d.findings.size(), 1u);
  const Finding& f = d.findings[0];
  EXPECT_THAT(f.summary, HasSubstr("collectives that cross it take x"));
  EXPECT_GT(value(f, "slow channels among the"), 1);
  EXPECT_NE(evidence(f, "cannot be told from"), nullptr);
  EXPECT_NE(evidence(f, "NIC, cable and switch port look alike"), nullptr);
  EXPECT_THAT(f.next_step, HasSubstr("NIC"));
}

TEST(ConcludeRanks, MissingRanksAreNoted) {
  std::vector<RankTrace> traces = build({});
  traces.pop_back();
  const Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_THAT(d.facts, Contains(Pair("ranks", "7 of 8")));
  EXPECT_THAT(d.notes, Contains(HasSubstr("1 ranks of the job left no trace")));
}

TEST(ConcludeRanks, SizesThatDisagreeAreAFinding) {
  Small s;
  s.swap_sizes = true;
  const Diagnosis d = diagnose_ranks(build(s), {});
  const auto at = std::ranges::find(d.findings, std::string("mismatch"), &Finding::category);
  ASSERT_NE(at, d.findings.end());
  EXPECT_EQ(at->score, 0.5);
  EXPECT_FALSE(at->evidence.empty());
  EXPECT_THAT(d.notes, Contains(StartsWith("Sizes disagree: ")));
}

TEST(ConcludeRanks, OneCollectiveOfOtherSizeIsANote) {
  std::vector<RankTrace> traces = build({});
  traces[0].records[traces[0].records.size() / 2].bytes = 0;
  const Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_THAT(d.notes, Contains(StartsWith("Sizes disagree: ")));
}

// The record in the middle of a slow rank's trace is spoilt, which must not make it a rank without peers.
TEST(ConcludeRanks, OneSpoiltRecordDoesNotHideASlowRank) {
  std::vector<RankTrace> traces = build(slow_rank());
  traces[5].records[traces[5].records.size() / 2].bytes = 0;
  const Diagnosis d = diagnose_ranks(traces, {});
  ASSERT_EQ(d.findings.size(), 1U);
  EXPECT_EQ(d.findings[0].subject, "rank5");
}

TEST(ConcludeRanks, ARankWithoutPeersIsNotHealthy) {
  std::vector<RankTrace> traces = build({});
  for (auto& communicator : traces[0].communicators)
    communicator.name += " of its own";
  const Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, StartsWith("rank0 (host0, GPU 0) does what no other rank does"));
}

// The two hosts of each half run a stage of their own. One that runs on a single host is compared with none.
TEST(ConcludeRanks, AHostThatAloneRunsItsStageIsNotHealthy) {
  for (const int hosts : {1, 2}) {
    std::vector<RankTrace> traces = build({});
    for (RankTrace& t : traces) {
      for (auto& communicator : t.communicators)
        communicator.name += t.rank / 2 < hosts ? " of the first stage" : "";
    }
    const Diagnosis d = diagnose_ranks(traces, {});
    EXPECT_EQ(d.outcome, hosts == 1 ? Outcome::CannotJudge : Outcome::Healthy) << d.verdict;
    EXPECT_EQ(d.reason.starts_with("host0 does what no other host does in a step"), hosts == 1) << d.reason;
  }
}

TEST(ConcludeRanks, FourStepsAreTooFew) {
  for (const int steps : {4, 5}) {
    Small s;
    s.steps = steps;
    const Diagnosis d = diagnose_ranks(build(s), {});
    const bool brief = d.reason.find("training steps; 5 are needed") != std::string::npos;
    EXPECT_EQ(brief, steps < 5) << steps << ": " << d.reason;
  }
}

TEST(ConcludeRanks, NothingRecordedCannotBeJudged) {
  const Diagnosis none = diagnose_ranks({}, {});
  EXPECT_EQ(none.outcome, Outcome::CannotJudge);
  EXPECT_EQ(none.reason, "no collective was recorded");
  EXPECT_THAT(none.remedy, HasSubstr("NCCL_INSPECTOR_ENABLE=1"));
  std::vector<RankTrace> one = build({});
  one.resize(1);
  EXPECT_THAT(diagnose_ranks(one, {}).reason, HasSubstr("the collectives of one rank among 8"));
}

TEST(ConcludeRanks, RanksOfDifferentJobsDoNotMatch) {
  std::vector<RankTrace> traces = build({});
  for (size_t r = 0; r < traces.size(); ++r) {
    for (fleet::ranks::Communicator& c : traces[r].communicators)
      c.key += std::to_string(r);
  }
  const Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("have a partner: the ranks are not matchable"));
}

// Sixty healthy jobs, which nobody has seen before: with no finding a rate of one in twenty is excluded.
TEST(ConcludeRanks, OfHealthyJobsNobodyIsAccused) {
  for (uint64_t seed = 100; seed < 160; ++seed) {
    Small s;
    s.seed = seed;
    RanksOptions o;
    o.figures = false;
    const Diagnosis d = diagnose_ranks(build(s), o);
    EXPECT_EQ(d.outcome, Outcome::Healthy) << seed << ": " << d.verdict;
  }
}

// The order of the files means nothing.
TEST(ConcludeRanks, FilesComeInAnyOrder) {
  std::vector<RankTrace> traces = build(slow_rank());
  const Diagnosis before = diagnose_ranks(traces, {});
  std::ranges::reverse(traces);
  const Diagnosis after = diagnose_ranks(traces, {});
  EXPECT_EQ(after.verdict, before.verdict);
  EXPECT_EQ(after.facts, before.facts);
}

}  // namespace
}  // namespace lento::fleet

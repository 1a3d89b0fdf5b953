// Ranks without records, and traces that end early: neither is healthy, whole jobs are.
#include "fleet/ranks/roll_call.h"

#include <gmock/gmock.h>

#include "fleet/ranks/ranks.h"
#include "fleet/ranks/test_job.h"

namespace lento::fleet::ranks {
namespace {

using finding::Diagnosis;
using finding::Outcome;
using test::build;
using test::Small;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// The logs of the Inspector: no global rank, no lists of members, a process a rank.
std::vector<RankTrace> as_logs(std::vector<RankTrace> traces, bool world) {
  for (size_t r = 0; r < traces.size(); ++r) {
    RankTrace& t = traces[r];
    t.layout = "inspector";
    t.process = int64_t(1000 + r);
    t.rank = t.world = t.device = -1;
    for (Communicator& c : t.communicators)
      c.ranks.clear();
    if (world)
      t.communicators.push_back({"all", "", int(traces.size()), 4, int(r), {}});
  }
  return traces;
}

std::vector<RankTrace> without(std::vector<RankTrace> traces, size_t rank) {
  traces.erase(traces.begin() + ptrdiff_t(rank));
  return traces;
}

RollCall roll_of(const std::vector<RankTrace>& traces) {
  return call_roll(make_job(traces));
}

TEST(RollCall, AWholeJobLacksNobody) {
  for (const bool world : {false, true}) {
    for (const std::vector<RankTrace>& traces : {build({}), as_logs(build({}), world)}) {
      const RollCall roll = roll_of(traces);
      EXPECT_TRUE(roll.complete());
      EXPECT_THAT(roll.unseen, IsEmpty());
      EXPECT_EQ(diagnose_ranks(traces, {}).outcome, Outcome::Healthy);
    }
  }
}

TEST(RollCall, TheMissingRankIsNamedAndNothingIsHealthy) {
  for (size_t missing = 0; missing < 8; ++missing) {
    const std::string name = "rank" + std::to_string(missing);
    for (const bool logs : {false, true}) {
      const std::vector<RankTrace> all = logs ? as_logs(build({}), true) : build({});
      const std::vector<RankTrace> traces = without(all, missing);
      EXPECT_THAT(roll_of(traces).unseen, ElementsAre(name));
      const Diagnosis d = diagnose_ranks(traces, {});
      EXPECT_EQ(d.outcome, Outcome::CannotJudge);
      EXPECT_THAT(d.reason, StartsWith(name + " left no trace"));
      EXPECT_THAT(d.notes, Contains(HasSubstr("1 ranks of the job left no trace: " + name)));
    }
  }
}

// Neither the size of the job nor a group of everybody is known: lists of groups, or places in them, are.
TEST(RollCall, GroupsAloneShowAMissingRank) {
  std::vector<RankTrace> traces = without(build({}), 7);
  for (RankTrace& t : traces)
    t.world = -1;
  EXPECT_THAT(roll_of(traces).unseen, ElementsAre("rank7"));
  const RollCall roll = roll_of(without(as_logs(build({}), false), 7));
  EXPECT_EQ(roll.count, 1u);
  EXPECT_THAT(roll.unseen, Contains("member 3 of DP"));
  EXPECT_THAT(roll.unseen, Contains("member 1 of TP"));
  EXPECT_THAT(unseen_text(roll), StartsWith("1 rank (member "));
}

// A group of which only sends are recorded may hold members that sent nothing.
TEST(RollCall, WhoSendsNothingIsNotMissing) {
  std::vector<RankTrace> traces = as_logs(build({}), false);
  for (int r = 0; r < 2; ++r) {
    RankTrace& t = traces[size_t(r)];
    t.communicators.push_back({"pp", "PP", 8, 4, r, {}});
    CollectiveRecord sent = t.records.back();
    sent.op = r == 0 ? CollectiveOp::Send : CollectiveOp::Recv;
    sent.peer = 1 - r;
    sent.communicator = int32_t(t.communicators.size()) - 1;
    t.records.push_back(sent);
  }
  EXPECT_THAT(roll_of(traces).unseen, IsEmpty());
  // A member that a send names took part, so that it should have a trace.
  traces[0].records.back().peer = 5;
  const RollCall roll = roll_of(traces);
  EXPECT_EQ(roll.count, 1u);
  EXPECT_THAT(roll.unseen, ElementsAre("member 5 of PP"));
}

TEST(RollCall, AFindingStandsAndTheNoteToo) {
  Small s;
  s.slow_rank = 5;
  const Diagnosis d = diagnose_ranks(without(build(s), 0), {});
  ASSERT_EQ(d.outcome, Outcome::Findings);
  EXPECT_EQ(d.findings[0].subject, "rank5");
  EXPECT_THAT(d.notes, Contains(HasSubstr("left no trace: rank0")));
}

// The partner of the slow rank waits for it, others of its kind wait for nobody. A healthy rank that left no
// trace is not said to be waited for.
TEST(RollCall, PeersThatWaitForTheMissingRankAreNoted) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Small s;
    s.seed = seed;
    EXPECT_EQ(roll_of(without(build(s), 5)).whole_ns, 0) << seed;
    s.slow_rank = 5;
    const std::vector<RankTrace> traces = without(build(s), 5);
    const RollCall roll = roll_of(traces);
    EXPECT_GT(roll.lacking_ns, 1.5 * roll.whole_ns) << seed;
    EXPECT_THAT(diagnose_ranks(traces, {}).notes, Contains(HasSubstr("wait for one that left no trace")));
  }
}

// The same of a rank whose trace ends half way: its partner is compared after that end only.
TEST(RollCall, PeersThatWaitAfterTheEndOfATraceAreNoted) {
  for (const int slow : {-1, 5}) {
    Small s;
    s.slow_rank = slow;
    std::vector<RankTrace> traces = build(s);
    traces[5].file = "fifth.json";
    traces[5].closed = false;
    std::erase_if(traces[5].records, [](const CollectiveRecord& r) {
      return r.step >= 30;
    });
    const RollCall roll = roll_of(traces);
    EXPECT_THAT(roll.unfinished, ElementsAre("fifth.json"));
    EXPECT_EQ(roll.whole_ns > 0, slow == 5);
  }
}

TEST(RollCall, ASizeThatIsMerelyClaimedCostsNothing) {
  std::vector<RankTrace> traces = build({});
  traces[3].world = INT32_MAX;
  const RollCall roll = roll_of(traces);
  EXPECT_EQ(roll.count, uint64_t(INT32_MAX) - 8);
  EXPECT_EQ(roll.unseen.size(), 20u);
  EXPECT_THAT(unseen_text(roll), HasSubstr("rank27 and 2147483619 more"));
}

TEST(RollCall, ATraceThatEndsEarlyIsNotHealthyAndALateCutIs) {
  for (const int kept : {59, 60, 30}) {
    std::vector<RankTrace> traces = build({});
    traces[2].file = "second.json";
    traces[2].closed = false;
    std::erase_if(traces[2].records, [&](const CollectiveRecord& r) {
      return r.step >= kept;
    });
    const Diagnosis d = diagnose_ranks(traces, {});
    EXPECT_THAT(d.notes, Contains(HasSubstr("second.json: the file was not closed")));
    EXPECT_EQ(d.outcome, kept == 30 ? Outcome::CannotJudge : Outcome::Healthy) << kept;
    if (kept == 30) {
      EXPECT_THAT(d.reason, HasSubstr("second.json ends before"));
    }
    traces[2].closed = true;
    EXPECT_THAT(diagnose_ranks(traces, {}).notes, Not(Contains(HasSubstr("not closed"))));
    traces[2].has_end = false;
    EXPECT_EQ(diagnose_ranks(traces, {}).outcome, d.outcome) << kept;
  }
}

}  // namespace
}  // namespace lento::fleet::ranks

// A hang in words.
#include <gmock/gmock.h>

#include "fleet/ranks/ranks.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Outcome;
using fleet::ranks::HangDump;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

// `enqueued` of each rank of one group that has completed ten.
std::vector<HangDump> world(const std::vector<int64_t>& enqueued, int64_t completed = 10) {
  std::vector<HangDump> out;
  std::vector<int32_t> all;
  for (size_t r = 0; r < enqueued.size(); ++r)
    all.push_back(int32_t(r));
  for (size_t r = 0; r < enqueued.size(); ++r) {
    HangDump& d = out.emplace_back();
    d.rank = int(r);
    d.groups["world"] = {"", all};
    d.status["world"] = {enqueued[r], -1, completed};
    for (int64_t n = completed + 1; n <= enqueued[r]; ++n)
      d.pending.push_back({"world", n, false, false, "all_reduce", "[8] -> [8]", "[8]", "Float"});
  }
  return out;
}

fleet::ranks::RasAnswer answer(const std::vector<fleet::ranks::RasRank>& ranks) {
  fleet::ranks::RasAnswer a;
  a.communicators.push_back({"0xab", int(ranks.size()), ranks});
  return a;
}

fleet::ranks::RasRank ras(int rank, int64_t count) {
  fleet::ranks::RasRank r;
  r.rank = rank;
  r.host = "h" + std::to_string(rank);
  r.process = 100 + rank;
  r.counts["AllReduce"] = count;
  return r;
}

TEST(ConcludeHang, WhoNeverAskedIsNamedWithWhoWaits) {
  const Diagnosis d = diagnose_hang(world({11, 10, 11}), {});
  ASSERT_EQ(d.outcome, Outcome::Findings);
  ASSERT_THAT(d.findings, SizeIs(1));
  EXPECT_EQ(d.findings[0].subject, "rank1");
  EXPECT_THAT(d.findings[0].summary, HasSubstr("never asked for all_reduce 11 of group world"));
  EXPECT_EQ(*d.findings[0].evidence[0].value, 1);  // behind the furthest
  EXPECT_THAT(d.findings[0].evidence[2].text, HasSubstr("rank 0, 2"));
  EXPECT_THAT(d.findings[0].next_step, HasSubstr("stack of its process"));
  EXPECT_EQ(d.verdict, "Rank 1 holds up the job.");
  EXPECT_THAT(d.facts, Contains(Pair("dumps", "3")));
  EXPECT_THAT(d.facts, Contains(Pair("pending operations", "2")));
  EXPECT_EQ(d.covered, "3 dumps, 2 pending operations, 0 RAS answers");
}

TEST(ConcludeHang, SeveralAreNamedTogether) {
  const Diagnosis d = diagnose_hang(world({11, 10, 11, 10}), {});
  EXPECT_EQ(d.verdict, "Ranks 1, 3 hold up the job.");
}

TEST(ConcludeHang, WhoWaitsForWhomIsDrawn) {
  const Diagnosis d = diagnose_hang(world({11, 10, 11}), {});
  ASSERT_THAT(d.figures, SizeIs(1));
  const auto& graph = std::get<finding::GraphFigure>(d.figures[0].body);
  ASSERT_THAT(graph.nodes, SizeIs(3));
  for (const auto& node : graph.nodes) {
    EXPECT_EQ(node.blamed, node.id == "rank1");
    EXPECT_EQ(node.value, node.id == "rank1" ? 2.0 : 0.0);  // that wait for it
  }
  for (const auto& edge : graph.edges)
    EXPECT_EQ(edge.to, "rank1");
}

TEST(ConcludeHang, ADumpThatIsMissingIsAFinding) {
  std::vector<HangDump> dumps = world({11, 11, 11});
  dumps.pop_back();
  const Diagnosis d = diagnose_hang(dumps, {});
  const auto at = std::ranges::find(d.findings, std::string("missing rank"), &finding::Finding::category);
  ASSERT_NE(at, d.findings.end());
  EXPECT_EQ(at->subject, "rank2");
  EXPECT_EQ(at->summary, "rank2 left no dump, and 2 ranks wait for it");
}

TEST(ConcludeHang, AFewDumpsOfManyAccuseNoneOfTheOthers) {
  std::vector<HangDump> dumps = world(std::vector<int64_t>(64, 11));
  dumps.resize(1);
  const Diagnosis d = diagnose_hang(dumps, {});
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.verdict, HasSubstr("63 of 64 ranks"));
}

// Rank 0 waits in a receive for rank 2, whose dump is missing. Rank 1 is ahead of rank 0.
TEST(ConcludeHang, NobodyElseIsBlamedWhileARankWithoutADumpIsWaitedFor) {
  std::vector<HangDump> dumps = world({11, 12}, 10);
  dumps[1].pending.clear();
  dumps[1].status["world"] = {11, -1, 11};
  for (HangDump& d : dumps)
    d.groups["pipe"] = {"PIPELINE", {0, 2}};
  dumps[0].pending.insert(
      dumps[0].pending.begin(),
      {"pipe", 4, true, false, "recv 0<-1", "[8]", "[8]", "Float"});
  const Diagnosis d = diagnose_hang(dumps, {});
  ASSERT_THAT(d.findings, SizeIs(1));
  EXPECT_EQ(d.findings[0].subject, "rank2");
  EXPECT_THAT(d.verdict, HasSubstr("rank2 left no dump"));
}

TEST(ConcludeHang, ShapesThatDisagreeAreAMismatch) {
  std::vector<HangDump> dumps = world({11, 11, 11});
  dumps[2].pending[0].input_sizes = "[16]";
  const Diagnosis d = diagnose_hang(dumps, {});
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings[0].category, "mismatch");
  EXPECT_EQ(d.findings[0].subject, "rank2");  // of the smaller side
  EXPECT_THAT(d.findings[0].summary, HasSubstr("disagree about collective 11"));
}

TEST(ConcludeHang, AFileWithoutItsRankCannotBeJudged) {
  std::vector<HangDump> dumps = world({11, 10});
  dumps[0].rank = -1;
  const Diagnosis d = diagnose_hang(dumps, {});
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("does not end with its rank"));
}

TEST(ConcludeHang, TheMonitorsDeadAndSilentRanksAreNamed) {
  fleet::ranks::RasRank dead = ras(0, 5);
  dead.missing = dead.dead = true;
  fleet::ranks::RasRank silent = ras(1, 5);
  silent.missing = true;
  fleet::ranks::RasRank broken = ras(2, 5);
  broken.error = 3;
  fleet::ranks::RasRank aborted = ras(3, 5);
  aborted.aborted = true;
  const Diagnosis d = diagnose_hang({}, {answer({dead, silent, broken, aborted, ras(4, 5)})});
  ASSERT_THAT(d.findings, SizeIs(4));
  EXPECT_EQ(d.findings[0].subject, "h0/pid100");  // the surest first
  EXPECT_THAT(d.findings[0].summary, HasSubstr("is dead"));
  for (const finding::Finding& f : d.findings) {
    if (f.subject == "h1/pid101") {
      EXPECT_THAT(f.summary, HasSubstr("does not answer"));
    }
    if (f.subject == "h2/pid102") {
      EXPECT_EQ(f.category, "hang");
      EXPECT_THAT(f.summary, HasSubstr("reports an error"));
    }
    EXPECT_NE(f.subject, "h4/pid104");
  }
}

TEST(ConcludeHang, BehindAtTwoQueriesWithoutMovingIsStuck) {
  const auto first = answer({ras(0, 8), ras(1, 5)});
  const Diagnosis stuck = diagnose_hang({}, {first, answer({ras(0, 8), ras(1, 5)})});
  ASSERT_THAT(stuck.findings, SizeIs(1));
  EXPECT_THAT(stuck.findings[0].summary, HasSubstr("has not joined AllReduce 6"));
  EXPECT_EQ(*stuck.findings[0].evidence[0].value, 3);
  EXPECT_TRUE(diagnose_hang({}, {first, answer({ras(0, 8), ras(1, 6)})}).findings.empty());  // it moves
  EXPECT_TRUE(diagnose_hang({}, {first}).findings.empty());                                  // one query only
}

TEST(ConcludeHang, NothingPendingIsWell) {
  const Diagnosis d = diagnose_hang(world({10, 10}), {});
  EXPECT_EQ(d.outcome, Outcome::Healthy);
  EXPECT_EQ(d.verdict, "No collective is pending and no rank is missing.");
}

}  // namespace
}  // namespace lento::fleet

// Small hung jobs whose culprit is known by construction.
#include "fleet/ranks/hang.h"

#include <gtest/gtest.h>

#include "fleet/ranks/ranks.h"

namespace lento::fleet::ranks {
namespace {

HangDump dump(int rank, const std::map<std::string, std::vector<int32_t>>& groups) {
  HangDump d;
  d.rank = rank;
  for (const auto& [name, members] : groups)
    d.groups[name] = {name == "pp" ? "PIPELINE" : "", members};
  return d;
}

void progress(HangDump& d, const std::string& group, int64_t enqueued, int64_t completed) {
  d.status[group] = {enqueued, -1, completed};
  for (int64_t n = completed + 1; n <= enqueued; ++n)
    d.pending.push_back({group, n, false, false, "all_reduce", "[8] -> [8]", "[8]", "Float"});
}

TEST(Hang, RankThatNeverAskedHoldsUpItsGroup) {
  std::vector<HangDump> dumps;
  for (int r = 0; r < 4; ++r) {
    dumps.push_back(dump(r, {{"world", {0, 1, 2, 3}}}));
    progress(dumps.back(), "world", r == 2 ? 10 : 11, 10);
  }
  const HangAnalysis a = analyse_hang(dumps);
  ASSERT_EQ(a.stuck.size(), 1u);
  EXPECT_EQ(a.stuck[0].rank, 2);
  EXPECT_EQ(a.stuck[0].kind, StuckKind::NotJoined);
  EXPECT_EQ(a.stuck[0].waiting, (std::vector<int>{0, 1, 3}));
}

TEST(Hang, RankHeldUpInAnotherGroupIsNotBlamed) {
  // 1 has not asked for the world's 11 because it waits in its pair for 0, which asked for nothing.
  std::vector<HangDump> dumps;
  for (int r = 0; r < 4; ++r)
    dumps.push_back(dump(r, {{"world", {0, 1, 2, 3}}, {"pair", {0, 1}}}));
  progress(dumps[0], "pair", 4, 4);
  progress(dumps[0], "world", 10, 10);
  progress(dumps[1], "pair", 5, 4);
  progress(dumps[1], "world", 10, 10);
  progress(dumps[2], "world", 11, 10);
  progress(dumps[3], "world", 11, 10);
  const HangAnalysis a = analyse_hang(dumps);
  ASSERT_EQ(a.stuck.size(), 1u);
  EXPECT_EQ(a.stuck[0].rank, 0);
}

// As before, but the dump of 0 lost what it holds of the pair: 1 is not blamed in its place.
TEST(Hang, ARankWhoseDumpLostItsPlaceIsNamedAndNobodyBlamed) {
  std::vector<HangDump> dumps;
  for (int r = 0; r < 4; ++r)
    dumps.push_back(dump(r, {{"world", {0, 1, 2, 3}}, {"pair", {0, 1}}}));
  progress(dumps[0], "world", 10, 10);
  progress(dumps[1], "pair", 5, 4);
  progress(dumps[1], "world", 10, 10);
  progress(dumps[2], "world", 11, 11);
  progress(dumps[3], "world", 11, 11);
  dumps[0].status.clear();
  dumps[0].groups.clear();
  const HangAnalysis a = analyse_hang(dumps);
  EXPECT_TRUE(a.stuck.empty());
  EXPECT_EQ(a.without_state, (std::vector<int>{0}));
}

TEST(Hang, GpuThatStandsKeepsAskingButCompletesLess) {
  std::vector<HangDump> dumps;
  for (int r = 0; r < 3; ++r) {
    dumps.push_back(dump(r, {{"world", {0, 1, 2}}}));
    progress(dumps.back(), "world", 30, r == 1 ? 20 : 27);
  }
  const HangAnalysis a = analyse_hang(dumps);
  ASSERT_EQ(a.stuck.size(), 1u);
  EXPECT_EQ(a.stuck[0].rank, 1);
  EXPECT_EQ(a.stuck[0].kind, StuckKind::Stopped);
  EXPECT_EQ(a.stuck[0].sequence, 21);
}

TEST(Hang, GroupsThatSendCountDifferently) {
  std::vector<HangDump> dumps;
  for (int r = 0; r < 2; ++r) {
    dumps.push_back(dump(r, {{"pp", {0, 1}}}));
    progress(dumps.back(), "pp", r == 0 ? 11986 : 13698, r == 0 ? 11986 : 13698);
  }
  EXPECT_TRUE(analyse_hang(dumps).stuck.empty());
}

TEST(Hang, MismatchMissingAndNothingPendingAreTold) {
  std::vector<HangDump> dumps;
  for (int r = 0; r < 2; ++r) {
    dumps.push_back(dump(r, {{"world", {0, 1, 2}}}));
    progress(dumps.back(), "world", 11, 10);
  }
  dumps[1].pending[0].input_sizes = "[16]";
  const HangAnalysis a = analyse_hang(dumps);
  ASSERT_EQ(a.mismatches.size(), 1u);
  EXPECT_EQ(a.mismatches[0].sequence, 11);
  EXPECT_EQ(a.without_dump, (std::vector<int>{2}));

  std::vector<HangDump> idle;
  for (int r = 0; r < 2; ++r) {
    idle.push_back(dump(r, {{"world", {0, 1}}}));
    progress(idle.back(), "world", 10, 10);
  }
  EXPECT_EQ(diagnose_hang(idle, {}).outcome, finding::Outcome::Healthy);
  for (HangDump& d : idle) {
    d.pending.clear();
    progress(d, "world", 11, 10);
  }
  EXPECT_EQ(diagnose_hang(idle, {}).outcome, finding::Outcome::CannotJudge);
}

TEST(Hang, CircleOfWaitingIsNamed) {
  std::vector<HangDump> dumps;
  for (int r = 0; r < 2; ++r)
    dumps.push_back(dump(r, {{"a", {0, 1}}, {"b", {0, 1}}}));
  progress(dumps[0], "a", 1, 0);
  progress(dumps[0], "b", 0, 0);
  progress(dumps[1], "a", 0, 0);
  progress(dumps[1], "b", 1, 0);
  const HangAnalysis a = analyse_hang(dumps);
  EXPECT_TRUE(a.stuck.empty());
  EXPECT_EQ(a.ring.size(), 2u);
}

TEST(Hang, MonitorNamesTheRankBehindAtTwoQueries) {
  RasAnswer first;
  first.communicators.push_back({"0x1", 2, {}});
  RasRank zero;
  zero.rank = 0;
  zero.host = "h";
  zero.counts["AllReduce"] = 8;
  RasRank one = zero;
  one.rank = 1;
  one.process = 7;
  one.counts["AllReduce"] = 5;
  first.communicators[0].ranks = {zero, one};
  // A lag that moves between the queries is a healthy rank at work.
  RasAnswer moved = first;
  moved.communicators[0].ranks[0].counts["AllReduce"] = 12;
  moved.communicators[0].ranks[1].counts["AllReduce"] = 9;
  EXPECT_TRUE(diagnose_hang({}, {first, moved}).findings.empty());
  const finding::Diagnosis d = diagnose_hang({}, {first, first});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "h/pid7");
}

}  // namespace
}  // namespace lento::fleet::ranks

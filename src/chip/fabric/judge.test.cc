// The judgement on programs played by the fabric itself, with a component made slow.
#include "chip/fabric/judge.h"

#include <gtest/gtest.h>

#include "chip/fabric/play.h"
#include "chip/fabric/test_program.h"

namespace lento::chip {
namespace {

using test::add_reader;

spec::FabricSheet grid() {
  spec::FabricSheet sheet = spec::torus_fabric(6, 6);
  spec::add_opposite_network(sheet);
  sheet.link = {32, 9, 12, 0};
  sheet.port = {32, 5, 0};
  sheet.core_memory = {128, 60};
  sheet.processors.push_back({"P", 100, 140, 140, 0});
  sheet.completion_cycles = 30;
  sheet.resume_cycles = 20;
  return sheet;
}

// Every core reads from four others, by turns on both networks.
TransferTrace program() {
  TransferTrace trace;
  trace.network_id("noc");
  trace.network_id("noc-back");
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 6; ++x) {
      const auto peer = [&](int dx, int dy) {
        return Place{0, (x + dx) % 6, (y + dy) % 6};
      };
      add_reader(trace, {0, x, y}, {peer(1, 0), peer(2, 1), peer(0, 3), peer(4, 2)}, 4, 4, 2048);
      for (auto& record : trace.streams.back().records)
        record.network = uint8_t((x + y) % 2);
    }
  }
  return trace;
}

// Puts the played times where a recorder would.
TransferTrace recorded(const Fabric& fabric, TransferTrace trace, const PlayOptions& options) {
  const Played played = play(fabric, trace, options);
  for (const PlayedTransfer& t : played.transfers)
    trace.streams[t.stream].records[t.record].begin = uint64_t(t.issue);
  for (const PlayedWait& wait : played.waits) {
    auto& record = trace.streams[wait.stream].records[wait.record];
    record.begin = uint64_t(wait.begin);
    record.end = uint64_t(wait.end);
  }
  return trace;
}

// The same program as single transfers with both times; the processor waits for each one, or for none.
TransferTrace single_transfers(bool waits) {
  TransferTrace trace = program();
  for (TransferStream& stream : trace.streams) {
    std::erase_if(stream.records, [](const TransferRecord& r) {
      return !is_transfer(r.kind);
    });
    for (TransferRecord& record : stream.records)
      record.end = record.begin + (waits ? 0 : 1'000'000);
  }
  return trace;
}

PlayOptions noise(uint64_t seed) {
  PlayOptions options;
  options.noise_cv = 0.2;
  options.seed = seed;
  return options;
}

TEST(Judge, HealthyRunsAreSilent) {
  const Fabric fabric(grid());
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const FabricJudgement verdict = judge(fabric, recorded(fabric, program(), noise(seed)));
    EXPECT_TRUE(verdict.judged);
    EXPECT_FALSE(verdict.blamed) << verdict.ranked.front().members.front();
  }
}

// With a fifth of noise on every service; nobody else is blamed in any draw.
TEST(Judge, SlowLinkIsNamed) {
  const Fabric fabric(grid());
  const int link = fabric.link(0, fabric.component({0, 2, 2}), fabric.component({0, 3, 2}));
  int named = 0;
  int first = 0;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    PlayOptions options = noise(seed);
    options.slow = {{link, 5}};
    const FabricJudgement verdict = judge(fabric, recorded(fabric, program(), options));
    const bool right = verdict.ranked.front().members.front() == fabric.server_name(link);
    EXPECT_TRUE(right || !verdict.blamed) << seed << " " << verdict.ranked.front().members.front();
    first += right;
    named += right && verdict.blamed;
  }
  EXPECT_EQ(named, 2);
  EXPECT_EQ(first, 2);
}

TEST(Judge, SlowLinkIsNamedFromSingleTransfersWithBothTimes) {
  const Fabric fabric(grid());
  const int link = fabric.link(0, fabric.component({0, 2, 2}), fabric.component({0, 3, 2}));
  for (const bool waits : {false, true}) {
    const FabricJudgement healthy = judge(fabric, recorded(fabric, single_transfers(waits), noise(1)));
    EXPECT_TRUE(healthy.judged) << healthy.reason;
    EXPECT_FALSE(healthy.blamed) << waits << " " << healthy.ranked.front().members.front();
    PlayOptions options = noise(101);
    options.slow = {{link, 5}};
    const FabricJudgement slow = judge(fabric, recorded(fabric, single_transfers(waits), options));
    EXPECT_TRUE(slow.blamed) << waits << " " << slow.reason;
    EXPECT_EQ(slow.ranked.front().members.front(), fabric.server_name(link)) << waits;
  }
}

// Transfers behind a slow link wait, and so do those behind them: only the play of all traffic says so.
TEST(Judge, SlowServerChangesTrafficThatDoesNotPassIt) {
  const Fabric fabric(grid());
  const TransferTrace trace = recorded(fabric, program(), {});
  const int link = fabric.link(0, fabric.component({0, 2, 2}), fabric.component({0, 3, 2}));
  PlayOptions slow;
  slow.slow = {{link, 5}};
  const FabricJudgement verdict = judge(fabric, recorded(fabric, program(), slow));
  ASSERT_TRUE(verdict.blamed) << verdict.reason;
  const FabricSuspect& first = verdict.ranked.front();
  EXPECT_EQ(first.members.front(), fabric.server_name(link));
  EXPECT_NEAR(first.factor, 5, 0.5);
  EXPECT_GT(verdict.played, 10U);
  EXPECT_FALSE(judge(fabric, trace).blamed);
}

// The model is wrong by as much on healthy chips.
TEST(Judge, SlightlySlowServersAreNotJudged) {
  const Fabric fabric(grid());
  TransferTrace busy = program();
  for (TransferStream& stream : busy.streams)
    for (TransferRecord& record : stream.records)
      record.bytes *= 8;
  const int link = fabric.link(0, fabric.component({0, 2, 2}), fabric.component({0, 3, 2}));
  PlayOptions slow;
  slow.slow = {{link, 1.55}};
  const FabricJudgement verdict = judge(fabric, recorded(fabric, busy, slow));
  EXPECT_FALSE(verdict.judged);
  EXPECT_NE(verdict.reason.find("may be wrong by as much"), std::string::npos)
      << verdict.strength << " " << verdict.reason;
  EXPECT_NE(verdict.remedy.find("chip compare"), std::string::npos);
}

TEST(Judge, NothingRepeatsIsNoVerdict) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 3, 1, 2048, 0, 10, 300);
  const FabricJudgement verdict = judge(Fabric(grid()), trace);
  EXPECT_FALSE(verdict.judged);
  EXPECT_NE(verdict.reason.find("nothing repeats"), std::string::npos);
}

TEST(Compare, SameRunIsSilentAndSlowerLinkIsNamed) {
  const Fabric fabric(grid());
  const TransferTrace before = recorded(fabric, program(), noise(1));
  const FabricComparison same = compare(fabric, before, recorded(fabric, program(), noise(2)));
  EXPECT_TRUE(same.judgement.judged);
  EXPECT_FALSE(same.judgement.blamed);
  PlayOptions options = noise(3);
  const int link = fabric.link(1, fabric.component({0, 3, 3}), fabric.component({0, 3, 2}));
  options.slow = {{link, 5}};
  const FabricComparison slower = compare(fabric, before, recorded(fabric, program(), options));
  ASSERT_TRUE(slower.judgement.blamed);
  EXPECT_EQ(slower.judgement.ranked.front().members.front(), fabric.server_name(link));
}

TEST(Compare, OtherProgramsAreNotCompared) {
  const Fabric fabric(grid());
  TransferTrace other = program();
  other.streams[0].records[1].bytes += 1;
  const FabricComparison result = compare(fabric, program(), other);
  EXPECT_FALSE(result.judgement.judged);
  EXPECT_NE(result.judgement.reason.find("not runs of one program"), std::string::npos);
}

}  // namespace
}  // namespace lento::chip

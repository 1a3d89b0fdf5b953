// Played times against what can be worked out by hand.
#include "chip/fabric/play.h"

#include <gtest/gtest.h>

#include "chip/fabric/test_program.h"

namespace lento::chip {
namespace {

using test::add_reader;

// A row of cores; 32 bytes a cycle on links, ports free of charge.
spec::FabricSheet row(int length) {
  spec::FabricSheet sheet = spec::mesh_fabric(length, 1);
  sheet.link = {32, 9, 0, 0};
  sheet.port = {1e6, 5, 0};
  sheet.core_memory = {1e6, 50};
  sheet.processors.push_back({"P", 100, 40, 40, 0});
  sheet.completion_cycles = 30;
  sheet.resume_cycles = 20;
  return sheet;
}

TEST(Play, OneReadTakesRequestMemoryAndTheWayBack) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 2, 0}}, 1, 1, 3200);
  const Played played = play(Fabric(row(3)), trace);
  ASSERT_EQ(played.waits.size(), 1U);
  // 100 to the issue; request 5 + 2 * 9 + 5, memory 50; data: ports 5 each, two links 9 each, and once 3200
  // / 32.
  const double request = 5 + 18 + 5 + 50;
  const double data = 5 + 9 + 9 + 5 + 100;
  EXPECT_NEAR(played.waits[0].end, 100 + request + data + 30, 1);
}

TEST(Play, LinksBoundTheRate) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 50, 1, 32000);
  spec::FabricSheet sheet = row(2);
  sheet.port.bytes_per_cycle = 32;
  const Played played = play(Fabric(sheet), trace);
  const double bound = 50 * 1000;
  EXPECT_GT(played.end, bound);
  EXPECT_LT(played.end, bound + 1500);
}

TEST(Play, SharedLinkIsTheCongestedOne) {
  TransferTrace trace;
  for (int x = 0; x < 3; ++x)
    add_reader(trace, {0, x, 0}, {Place{0, 3, 0}}, 8, 1, 6400);
  const Fabric fabric(row(4));
  const Played played = play(fabric, trace);
  const int shared = fabric.link(0, 3, 2);
  for (int id = 0; id < fabric.server_count(); ++id) {
    if (id == shared)
      continue;
    EXPECT_LE(played.waited[id], played.waited[shared]) << fabric.server_name(id);
  }
  EXPECT_EQ(played.bytes[shared], 3U * 8 * 6400);
}

TEST(Play, SlowLinkDelaysItsTransfersOnly) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 4, 1, 6400);
  add_reader(trace, {0, 3, 0}, {Place{0, 2, 0}}, 4, 1, 6400);
  const Fabric fabric(row(4));
  PlayOptions slow;
  slow.slow = {{fabric.link(0, 1, 0), 3}};
  const Played healthy = play(fabric, trace);
  const Played sick = play(fabric, trace, slow);
  EXPECT_GT(sick.waits[1].end, 0);
  double end[2][2] = {};
  for (const PlayedWait& wait : healthy.waits)
    end[0][wait.stream] = wait.end;
  for (const PlayedWait& wait : sick.waits)
    end[1][wait.stream] = wait.end;
  EXPECT_GT(end[1][0], end[0][0] + 1000);
  EXPECT_DOUBLE_EQ(end[1][1], end[0][1]);
}

TEST(Play, RecordedIssueTimesAreKept) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 3, 1, 64, 1000, 500);
  PlayOptions options;
  options.issue = Issue::Stamps;
  const Played played = play(Fabric(row(2)), trace, options);
  ASSERT_EQ(played.transfers.size(), 3U);
  EXPECT_DOUBLE_EQ(played.transfers[2].issue, 1000);
}

// Reads of 3,200 bytes as above, each with an end of its own: 236 cycles from issue to end.
TEST(Play, TransfersWithTheirOwnEndsAreWaitsOfTheirOwn) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 2, 0}}, 3, 1, 3200);
  TransferStream& stream = trace.streams[0];
  stream.records.pop_back();
  stream.records.erase(stream.records.begin());
  const auto played_with_ends = [&](uint64_t after) {
    for (TransferRecord& record : stream.records)
      record.end = record.begin + after;
    return play(Fabric(row(3)), trace);
  };
  const Played stood = played_with_ends(0);  // each next one begins when it ended
  const Played went_on = played_with_ends(1000);
  ASSERT_EQ(stood.waits.size(), 3U);
  ASSERT_EQ(went_on.waits.size(), 3U);
  const double alone = 5 + 18 + 5 + 50 + 5 + 9 + 9 + 5 + 100 + 30;
  for (const PlayedWait& wait : stood.waits)
    EXPECT_NEAR(wait.end - wait.begin, alone, 1);
  EXPECT_GE(stood.waits[1].begin, stood.waits[0].end);
  EXPECT_LT(went_on.waits[2].begin, went_on.waits[0].end);
}

TEST(Play, ATileLetsOnlySoManyPacketsGo) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 6, 1, 64);
  spec::FabricSheet sheet = row(2);
  sheet.link.hop_cycles = 500;
  const double free = play(Fabric(sheet), trace).end;
  sheet.port.channels = 1;
  EXPECT_GT(play(Fabric(sheet), trace).end, free + 4 * 500);
}

// Two ways cross one link; what goes on over the slow one fills its channel, and the other waits behind it.
TEST(Play, APacketThatIsHeldUpHoldsTheLinksBehindIt) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 3, 0}}, 4, 1, 3200);
  add_reader(trace, {0, 1, 0}, {Place{0, 3, 0}}, 4, 1, 3200);
  spec::FabricSheet sheet = row(4);
  const auto near_end = [&](double factor) {
    const Fabric fabric(sheet);
    PlayOptions options;
    options.slow = {{fabric.link(0, 1, 0), factor}};
    double end = 0;
    for (const PlayedWait& wait : play(fabric, trace, options).waits)
      end = wait.stream == 1 ? wait.end : end;
    return end;
  };
  EXPECT_DOUBLE_EQ(near_end(10), near_end(1));  // any number of channels
  sheet.link.virtual_channels = 1;
  sheet.link.buffer_bytes = 320;
  EXPECT_GT(near_end(10), near_end(1) + 1000);
  sheet.link.virtual_channels = 8;
  EXPECT_NEAR(near_end(10), near_end(1), 1);
}

// Eight tiles in a ring, each reading from the one four links on: all links are held by packets that wait
// for the next, but for the channels behind the wrap.
TEST(Play, ARingDoesNotLock) {
  spec::FabricSheet sheet = spec::torus_fabric(8, 1);
  sheet.link = {32, 9, 0, 1, 64};
  sheet.processors.push_back({"P", 100, 1, 1, 0});
  TransferTrace trace;
  for (int x = 0; x < 8; ++x)
    add_reader(trace, {0, x, 0}, {Place{0, (x + 4) % 8, 0}}, 6, 1, 4096);
  const Played played = play(Fabric(sheet), trace);
  for (const PlayedTransfer& each : played.transfers)
    EXPECT_GT(each.arrival, each.issue);
}

// A table may send four tiles clockwise, each over two links, so that each packet waits for the next one's.
TEST(Play, RoutesThatWaitInACircleAreLetThrough) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 2);
  sheet.link = {32, 9, 0, 1, 64};
  sheet.processors.push_back({"P", 100, 1, 1, 0});
  const std::vector<spec::TilePlace> circle{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}};
  TransferTrace trace;
  for (size_t i = 0; i < 4; ++i) {
    const spec::TilePlace& from = circle[i];
    const spec::TilePlace& to = circle[(i + 2) % 4];
    sheet.networks[0].table.push_back({{from, circle[(i + 1) % 4], to}});
    add_reader(trace, {0, to.x, to.y}, {Place{0, from.x, from.y}}, 6, 1, 4096);
  }
  const Played played = play(Fabric(sheet), trace);
  ASSERT_EQ(played.transfers.size(), 24U);
  for (const PlayedTransfer& each : played.transfers)
    EXPECT_GT(each.arrival, each.issue);
}

TEST(Play, WhatIsNotOnTheFabricIsCounted) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 9, 9}}, 2, 1, 64);
  const Played played = play(Fabric(row(2)), trace);
  EXPECT_EQ(played.unplaced, 2U);
  EXPECT_EQ(played.waits.size(), 1U);
}

TEST(Play, NoiseKeepsTheMeanAndTheSeedDecides) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 400, 1, 32000);
  const Fabric fabric(row(2));
  PlayOptions noisy;
  noisy.noise_cv = 0.3;
  const double plain = play(fabric, trace).end;
  const double one = play(fabric, trace, noisy).end;
  EXPECT_NEAR(one / plain, 1, 0.06);
  EXPECT_DOUBLE_EQ(play(fabric, trace, noisy).end, one);
  noisy.seed = 2;
  EXPECT_NE(play(fabric, trace, noisy).end, one);
}

}  // namespace
}  // namespace lento::chip

// Programs on harvested grids, table routes, two networks and several chips, in closed form.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "chip/fabric/play.h"
#include "chip/fabric/test_program.h"

namespace lento::chip {
namespace {

using test::add_reader;

// All costs but the rates and cycles named here are zero.
spec::FabricSheet bare(spec::FabricSheet sheet) {
  sheet.link = {.bytes_per_cycle = 16, .hop_cycles = 3};
  sheet.port = {.bytes_per_cycle = 64, .cycles = 2, .channels = 0};
  sheet.core_memory = {.bytes_per_cycle = 64, .read_cycles = 40};
  return sheet;
}

TransferTrace one_read(const Place& core, const Place& peer, uint64_t bytes, uint8_t network = 0) {
  TransferTrace trace;
  trace.network_id("noc");
  trace.network_id("noc-back");
  add_reader(trace, core, {peer}, 1, 1, bytes);
  for (TransferRecord& record : trace.streams[0].records)
    record.network = network;
  return trace;
}

double cycles_of(const spec::FabricSheet& sheet, const TransferTrace& trace) {
  const Played played = play(Fabric(sheet), trace);
  EXPECT_EQ(played.unplaced, 0u);
  EXPECT_EQ(played.transfers.size(), 1u);
  return played.transfers[0].arrival - played.transfers[0].issue;
}

TEST(PlayFabrics, EveryHopOfAReadIsThereAndBack) {
  const spec::FabricSheet sheet = bare(spec::mesh_fabric(5, 1));
  const double near = cycles_of(sheet, one_read({0, 0, 0}, {0, 1, 0}, 256));
  const double far = cycles_of(sheet, one_read({0, 0, 0}, {0, 4, 0}, 256));
  EXPECT_EQ(far - near, 3 * 2 * 3);  // three hops more, request and data
}

TEST(PlayFabrics, AlongAHarvestedColumnItIsNoFarther) {
  spec::FabricSheet sheet = bare(spec::mesh_fabric(5, 1));
  const TransferTrace trace = one_read({0, 0, 0}, {0, 4, 0}, 256);
  const double whole = cycles_of(sheet, trace);
  spec::harvest(sheet, {}, {2});
  EXPECT_EQ(cycles_of(sheet, trace), whole);
}

TEST(PlayFabrics, ATablesDetourCostsItsHops) {
  spec::FabricSheet sheet = bare(spec::mesh_fabric(3, 2));
  const TransferTrace trace = one_read({0, 0, 0}, {0, 2, 0}, 256);
  const double straight = cycles_of(sheet, trace);
  // Of the data, not of the request.
  sheet.networks[0].table.push_back({{{0, 2, 0}, {0, 2, 1}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}}});
  EXPECT_EQ(cycles_of(sheet, trace), straight + 2 * 3);
}

TEST(PlayFabrics, ThereOnOneWayRoundBackOnTheRest) {
  spec::FabricSheet sheet = spec::torus_fabric(4, 3);
  spec::add_opposite_network(sheet);
  sheet = bare(sheet);
  for (const int x : {1, 2, 3}) {
    const double up = cycles_of(sheet, one_read({0, 0, 0}, {0, x, 0}, 256, 0));
    const double down = cycles_of(sheet, one_read({0, 0, 0}, {0, x, 0}, 256, 1));
    EXPECT_EQ(up, down) << "a ring that turns one way is once round, whichever way";
  }
}

TEST(PlayFabrics, ALinkBetweenChipsHasItsOwnRateAndTime) {
  spec::FabricSheet sheet = bare(spec::mesh_fabric(2, 1));
  sheet.chips = 2;
  sheet.chip_links = {{{0, 1, 0}, {1, 0, 0}, 4, 500}, {{1, 0, 0}, {0, 1, 0}, 4, 500}};
  const TransferTrace trace = one_read({0, 1, 0}, {1, 0, 0}, 1024);
  const double base = cycles_of(sheet, trace);
  EXPECT_GE(base, 500 + 1024 / 4.0);  // the data, back over the slow link
  sheet.chip_links[1].cycles = 700;
  EXPECT_EQ(cycles_of(sheet, trace), base + 200);
  sheet.chip_links[1].bytes_per_cycle = 2;
  EXPECT_EQ(cycles_of(sheet, trace), base + 200 + 1024 / 4.0);
}

TEST(PlayFabrics, ChipsThatNothingJoinsAreCountedNotPlayed) {
  spec::FabricSheet sheet = bare(spec::mesh_fabric(2, 1));
  sheet.chips = 2;
  const Played played = play(Fabric(sheet), one_read({0, 0, 0}, {1, 0, 0}, 256));
  EXPECT_EQ(played.unplaced, 1u);
}

TEST(PlayFabrics, BytesAreOnTheServersOfTheRouteAndNowhereElse) {
  spec::FabricSheet sheet = bare(spec::mesh_fabric(3, 3));
  spec::join_chips(sheet, 2, false);
  const Fabric fabric(sheet);
  const Played played = play(fabric, one_read({0, 0, 0}, {1, 2, 2}, 768));
  const std::span<const int> route = played.routes[size_t(played.transfers[0].route)];
  for (int server = 0; server < fabric.server_count(); ++server) {
    const bool on = std::ranges::find(route, server) != route.end();
    EXPECT_EQ(played.bytes[size_t(server)], on ? 768u : 0u) << fabric.server_name(server);
  }
}

TEST(PlayFabrics, SlownessAnywhereOnTheRouteDelaysAndElsewhereDoesNot) {
  spec::FabricSheet sheet = bare(spec::mesh_fabric(3, 2));
  spec::join_chips(sheet, 2, false);
  const Fabric fabric(sheet);
  const TransferTrace trace = one_read({0, 0, 0}, {1, 2, 0}, 2048);
  const Played healthy = play(fabric, trace);
  std::vector<int> route;  // of the request and of the data
  for (size_t i = 0; i < healthy.routes.size(); ++i)
    std::ranges::copy(healthy.routes[i], std::back_inserter(route));
  for (int server = 0; server < fabric.server_count(); ++server) {
    PlayOptions slow;
    slow.slow = {{server, 20}};
    const Played played = play(fabric, trace, slow);
    const bool on = std::ranges::find(route, server) != route.end();
    if (on) {
      EXPECT_GT(played.end, healthy.end) << fabric.server_name(server);
    } else {
      EXPECT_EQ(played.end, healthy.end) << fabric.server_name(server);
    }
  }
}

}  // namespace
}  // namespace lento::chip

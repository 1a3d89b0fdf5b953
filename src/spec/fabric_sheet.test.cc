#include "spec/fabric_sheet.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/test_error.h"

namespace lento::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FabricSheet parsed(const std::string& body) {
  return parse_fabric("schema: lento.chip/2\n" + body, "f.yaml");
}

std::string complaint(const std::string& body) {
  return base::test::error_of([&] {
    parsed(body);
  });
}

const std::string kSmall = "width: 4\nheight: 3\n";

TEST(FabricSheet, DefaultsOfASmallSheet) {
  const FabricSheet sheet = parsed(kSmall);
  EXPECT_EQ(sheet.width, 4);
  EXPECT_EQ(sheet.height, 3);
  EXPECT_EQ(sheet.chips, 1);
  EXPECT_EQ(sheet.tiles, std::vector<TileKind>(12, TileKind::Core));
  ASSERT_EQ(sheet.networks.size(), 1u);
  EXPECT_EQ(sheet.networks[0].topology, Topology::Mesh);
}

TEST(FabricSheet, TilesStandWhereTheyAreNamed) {
  const FabricSheet sheet = parsed(
      kSmall +
      "tiles:\n  dram: [\"0,0\", \"3,2\"]\n  ethernet: [\"1,0\"]\n  router: [\"2,0\"]\n  harvested: "
      "[\"0,1\"]\n");
  EXPECT_EQ(sheet.kind(0, 0), TileKind::Dram);
  EXPECT_EQ(sheet.kind(3, 2), TileKind::Dram);
  EXPECT_EQ(sheet.kind(1, 0), TileKind::Ethernet);
  EXPECT_EQ(sheet.kind(2, 0), TileKind::Router);
  EXPECT_EQ(sheet.kind(0, 1), TileKind::Harvested);
  EXPECT_EQ(std::ranges::count(sheet.tiles, TileKind::Core), 7);
}

TEST(FabricSheet, HarvestingSwitchesOffCoresOnly) {
  const FabricSheet sheet =
      parsed(kSmall + "tiles:\n  dram: [\"0,1\"]\n  harvested_rows: [1]\n  harvested_columns: [3]\n");
  EXPECT_EQ(sheet.kind(0, 1), TileKind::Dram);
  for (int x = 1; x < 4; ++x)
    EXPECT_EQ(sheet.kind(x, 1), TileKind::Harvested);
  for (int y = 0; y < 3; ++y)
    EXPECT_EQ(sheet.kind(3, y), TileKind::Harvested);
  EXPECT_EQ(sheet.kind(2, 0), TileKind::Core);
}

TEST(FabricSheet, NetworksWithTheirTurnsAndRoutes) {
  const FabricSheet sheet = parsed(
      "width: 4\nheight: 2\nnetworks:\n"
      "  - name: a\n    topology: torus\n    order: yx\n    x: up\n    y: down\n"
      "  - name: b\n    routes: [[\"0,0\", \"1,0\", \"1,1\"]]\n");
  ASSERT_EQ(sheet.networks.size(), 2u);
  EXPECT_TRUE(sheet.networks[0].y_first);
  EXPECT_EQ(sheet.networks[0].x, Sense::Up);
  EXPECT_EQ(sheet.networks[0].y, Sense::Down);
  EXPECT_FALSE(sheet.networks[1].y_first);
  ASSERT_EQ(sheet.networks[1].table.size(), 1u);
  EXPECT_THAT(
      sheet.networks[1].table[0].tiles,
      ElementsAre(TilePlace{0, 0, 0}, TilePlace{0, 1, 0}, TilePlace{0, 1, 1}));
}

TEST(FabricSheet, RatesAndCosts) {
  const FabricSheet sheet = parsed(
      kSmall +
      "chips: 2\nclock: 1.5 GHz\n"
      "link:\n  bytes_per_cycle: 64\n  hop_cycles: 9\n  packet_cycles: 3\n  buffer: 2 KiB\n"
      "port:\n  bytes_per_cycle: 16\n  cycles: 5\n  channels: 4\n"
      "core_memory:\n  bytes_per_cycle: 48\n  read_cycles: 7\n"
      "dram:\n  bytes_per_cycle: 24\n  read_cycles: 200\n"
      "chip_links:\n  - from: \"0:3,1\"\n    to: \"1:0,1\"\n    bytes_per_cycle: 12\n    cycles: 500\n"
      "program:\n  completion_cycles: 11\n  resume_cycles: 12\n  processors:\n"
      "    - name: reader\n      start_cycles: 1\n      issue_core_cycles: 2\n      issue_dram_cycles: 3\n   "
      "   turn_cycles: 4\n");
  EXPECT_EQ(sheet.clock_hz, 1.5e9);
  EXPECT_EQ(sheet.link.bytes_per_cycle, 64);
  EXPECT_EQ(sheet.link.hop_cycles, 9);
  EXPECT_EQ(sheet.link.packet_cycles, 3);
  EXPECT_EQ(sheet.link.buffer_bytes, 2048);
  EXPECT_EQ(sheet.port.bytes_per_cycle, 16);
  EXPECT_EQ(sheet.port.cycles, 5);
  EXPECT_EQ(sheet.port.channels, 4);
  EXPECT_EQ(sheet.core_memory.bytes_per_cycle, 48);
  EXPECT_EQ(sheet.core_memory.read_cycles, 7);
  EXPECT_EQ(sheet.dram.bytes_per_cycle, 24);
  EXPECT_EQ(sheet.dram.read_cycles, 200);
  ASSERT_EQ(sheet.chip_links.size(), 1u);
  EXPECT_EQ(sheet.chip_links[0].from, (TilePlace{0, 3, 1}));
  EXPECT_EQ(sheet.chip_links[0].to, (TilePlace{1, 0, 1}));
  EXPECT_EQ(sheet.chip_links[0].bytes_per_cycle, 12);
  EXPECT_EQ(sheet.chip_links[0].cycles, 500);
  EXPECT_EQ(sheet.completion_cycles, 11);
  EXPECT_EQ(sheet.resume_cycles, 12);
  ASSERT_EQ(sheet.processors.size(), 1u);
  EXPECT_EQ(sheet.processors[0].name, "reader");
  EXPECT_EQ(sheet.processors[0].start_cycles, 1);
  EXPECT_EQ(sheet.processors[0].issue_core_cycles, 2);
  EXPECT_EQ(sheet.processors[0].issue_dram_cycles, 3);
  EXPECT_EQ(sheet.processors[0].turn_cycles, 4);
}

TEST(FabricSheet, MistakesAreToldAtTheirLine) {
  const std::pair<std::string, const char*> cases[] = {
      {"height: 3\n", "'width' is missing"},
      {"width: 257\nheight: 1\n", "f.yaml:2:8: error: found '257' for 'width'"},
      {"width: 0\nheight: 1\n", "needed a whole number from 1 to 256"},
      {"width: 256\nheight: 256\nchips: 2\n", "above 65536 tiles"},
      {kSmall + "chips: 65\n", "needed a whole number from 1 to 64"},
      {kSmall + "tiles:\n  dram: [\"4,0\"]\n", "f.yaml:5:10: error: tile '4,0' is outside the grid"},
      {kSmall + "tiles:\n  dram: [\"0,3\"]\n", "is outside the grid"},
      {kSmall + "tiles:\n  dram: [\"1:0,0\"]\n", "is outside the grid"},
      {kSmall + "tiles:\n  dram: [\"a,0\"]\n", "needed a tile"},
      {kSmall + "tiles:\n  dram: [\"0\"]\n", "needed a tile"},
      {kSmall + "tiles:\n  dram: [\"64:0,0\"]\n", "needed a tile"},
      {kSmall + "tiles:\n  harvested_rows: [3]\n", "needed a number from 0 to 2"},
      {kSmall + "tiles:\n  harvested_columns: [-1]\n", "needed a number from 0 to 3"},
      {kSmall + "tiles:\n  drams: []\n", "did you mean 'dram'?"},
      {kSmall + "networks:\n  - topology: mesh\n", "'name' is missing"},
      {kSmall + "networks:\n  - name: a\n  - name: a\n", "network 'a' occurs twice"},
      {kSmall + "networks:\n  - name: a\n    x: up\n", "a mesh must turn both ways"},
      {kSmall + "networks:\n  - name: a\n    topology: ring\n", "a ring has one row"},
      {kSmall + "networks:\n  - name: a\n    order: zx\n", "'zx' is not a legal 'order'"},
      {kSmall + "networks:\n  - name: a\n    routes: [[\"0,0\"]]\n", "fewer than two tiles"},
      {kSmall + "networks:\n  - name: a\n    routes: [[\"0,0\", \"1,0\", \"0,0\"]]\n",
       "ends where it begins"},
      {kSmall + "networks:\n  - name: a\n    routes: [[\"0,0\", \"0,0\", \"1,0\"]]\n", "stays where it is"},
      {kSmall + "link:\n  bytes_per_cycle: 0\n", "needed a value from"},
      {kSmall + "link:\n  hop_cycles: 2000000000\n", "needed a value from"},
      {kSmall + "port:\n  channels: 65\n", "needed a whole number from 0 to 64"},
      {kSmall + "chip_links:\n  - from: \"0,0\"\n", "'to' is missing"},
      {kSmall + "chip_links:\n  - from: \"0,0\"\n    to: \"1:0,0\"\n", "is outside the grid"},
      {kSmall + "program:\n  processors:\n    - start_cycles: 1\n", "'name' is missing"},
      {kSmall + "progam: {}\n", "did you mean 'program'?"}};
  for (const auto& [body, text] : cases)
    EXPECT_THAT(complaint(body), HasSubstr(text)) << body;
}

TEST(FabricSheet, MoreThanEightNetworksAreRefused) {
  std::string body = kSmall + "networks:\n";
  for (int i = 0; i < 8; ++i)
    body += "  - name: n" + std::to_string(i) + "\n";
  EXPECT_EQ(complaint(body), "no error");
  EXPECT_THAT(complaint(body + "  - name: more\n"), HasSubstr("more than 8 networks"));
}

TEST(FabricSheet, SeveralMistakesAreToldTogether) {
  const std::string text = complaint("width: 0\nheight: 0\nlink:\n  speed: 1\n");
  EXPECT_THAT(text, HasSubstr("'width'"));
  EXPECT_THAT(text, HasSubstr("'height'"));
  EXPECT_THAT(text, HasSubstr("unknown key 'speed'"));
}

TEST(FabricSheet, ShippedSheetsReadByName) {
  const FabricSheet sheet = read_fabric("wormhole");
  EXPECT_EQ(sheet.tiles.size(), size_t(sheet.width) * size_t(sheet.height));
  EXPECT_EQ(sheet.networks.size(), 2u);
  EXPECT_GT(std::ranges::count(sheet.tiles, TileKind::Dram), 0);
}

TEST(FabricOfChip, AMeshHasDramBesideItsEdges) {
  Chip chip;
  chip.width = 5;
  chip.height = 3;
  chip.network.router_cycles = 7;
  chip.network.link_bytes_per_cycle = 20;
  chip.dram.latency_cycles = 90;
  chip.core.start_up_cycles = 12;
  const FabricSheet sheet = fabric_of(chip);
  EXPECT_EQ(sheet.width, 7);
  EXPECT_EQ(sheet.height, 3);
  for (int y = 0; y < 3; ++y) {
    EXPECT_EQ(sheet.kind(0, y), TileKind::Dram);
    EXPECT_EQ(sheet.kind(6, y), TileKind::Dram);
    for (int x = 1; x < 6; ++x)
      EXPECT_EQ(sheet.kind(x, y), TileKind::Core);
  }
  EXPECT_EQ(sheet.link.hop_cycles, 7);
  EXPECT_EQ(sheet.link.bytes_per_cycle, 20);
  EXPECT_EQ(sheet.dram.read_cycles, 90);
  EXPECT_EQ(sheet.processors.at(0).issue_core_cycles, 12);
}

TEST(FabricOfChip, ATorusKeepsItsRings) {
  Chip chip;
  chip.topology = Topology::Torus;
  const FabricSheet sheet = fabric_of(chip);
  EXPECT_EQ(sheet.width, chip.width);
  EXPECT_EQ(std::ranges::count(sheet.tiles, TileKind::Dram), 0);
}

TEST(FabricOfChip, AFileOfVersionOneIsReadAsItsFabric) {
  const FabricSheet sheet = parse_fabric("schema: lento.chip/1\nwidth: 3\nheight: 2\n", "c.yaml");
  EXPECT_EQ(sheet.width, 5);
  EXPECT_EQ(sheet.height, 2);
}

TEST(Builders, PlainShapesHoldCoresOnly) {
  for (const FabricSheet& sheet : {mesh_fabric(3, 4), torus_fabric(3, 4), ring_fabric(12)}) {
    EXPECT_EQ(std::ranges::count(sheet.tiles, TileKind::Core), 12);
    EXPECT_EQ(sheet.width * sheet.height, 12);
    EXPECT_EQ(sheet.networks.size(), 1u);
  }
  EXPECT_EQ(ring_fabric(5).height, 1);
  EXPECT_EQ(torus_fabric(2, 2).networks[0].topology, Topology::Torus);
}

TEST(Builders, AnOppositeNetworkRunsAgainstTheFirst) {
  FabricSheet torus = torus_fabric(4, 4);
  add_opposite_network(torus);
  ASSERT_EQ(torus.networks.size(), 2u);
  EXPECT_EQ(torus.networks[0].x, Sense::Up);
  EXPECT_EQ(torus.networks[1].x, Sense::Down);
  EXPECT_EQ(torus.networks[1].y, Sense::Down);
  EXPECT_NE(torus.networks[0].y_first, torus.networks[1].y_first);
  EXPECT_NE(torus.networks[0].name, torus.networks[1].name);
  FabricSheet mesh = mesh_fabric(4, 4);
  add_opposite_network(mesh);
  EXPECT_EQ(mesh.networks[0].x, Sense::Both);
  EXPECT_EQ(mesh.networks[1].x, Sense::Both);
  EXPECT_TRUE(mesh.networks[1].y_first);
}

TEST(Builders, ChipsAreJoinedBothWays) {
  for (const auto& [chips, ring, links] :
       {std::tuple{1, false, 0},
        std::tuple{2, false, 2},
        std::tuple{4, false, 6},
        std::tuple{4, true, 8},
        std::tuple{2, true, 2}}) {
    FabricSheet sheet = mesh_fabric(3, 5);
    join_chips(sheet, chips, ring);
    EXPECT_EQ(sheet.chips, chips);
    ASSERT_EQ(sheet.chip_links.size(), size_t(links)) << chips;
    std::set<std::pair<TilePlace, TilePlace>> all;
    for (const auto& link : sheet.chip_links) {
      EXPECT_EQ(link.from.y, 2);
      EXPECT_EQ(link.to.y, 2);
      all.emplace(link.from, link.to);
    }
    for (const auto& [from, to] : all)
      EXPECT_TRUE(all.contains({to, from}));
    EXPECT_EQ(all.size(), size_t(links));
  }
}

TEST(TileKind, HasAName) {
  std::set<std::string> names;
  for (const TileKind kind :
       {TileKind::Core, TileKind::Dram, TileKind::Ethernet, TileKind::Router, TileKind::Harvested})
    names.insert(name(kind));
  EXPECT_EQ(names.size(), 5u);
}

const std::string kWorks =
    "width: 4\nheight: 3\nchips: 2\nclock: 1.5 GHz\n"
    "tiles:\n  dram: [\"0,0\"]\n  ethernet: [\"3,2\"]\n  harvested_rows: [1]\n"
    "networks:\n"
    "  - {name: a, topology: torus, x: up, y: down, carries: [messages, reads]}\n"
    "  - {name: b, order: yx, carries: [writes], routes: [[\"0,0\", \"0,1\"]]}\n"
    "chip_links:\n  - {from: \"0:3,2\", to: \"1:3,2\", bytes_per_cycle: 4, cycles: 70}\n"
    "  - {from: \"1:3,2\", to: \"0:3,2\"}\n"
    "link: {bytes_per_cycle: 24, hop_cycles: 3, buffer: 96 KiB, segment: 32 KiB, transit_cv: 0.2}\n"
    "port: {bytes_per_cycle: 64}\ncore_memory: {bytes_per_cycle: 48}\ndram: {bytes_per_cycle: 20, "
    "read_cycles: 9}\n"
    "core: {ops_per_cycle: 512, issue_window: 7, start_up_cycles: 5, scratchpad: 1 MiB}\n"
    "memory_unit: {slots: 2, bytes_per_cycle: 6}\nprobe: {record_bytes: 24}\n";

TEST(FabricSheet, ASheetWithACoreIsAChipToMapOn) {
  const Chip chip = parse_chip("schema: lento.chip/2\nname: two\n" + kWorks, "c.yaml");
  EXPECT_EQ(chip.name, "two");
  EXPECT_EQ(chip.width, 8);
  EXPECT_EQ(chip.height, 3);
  EXPECT_EQ(chip.core_count(), 2 * (8 - 2));
  EXPECT_EQ(chip.clock_hz, 1.5e9);
  EXPECT_EQ(chip.core.ops_per_cycle, 512);
  EXPECT_EQ(chip.core.issue_window, 7);
  EXPECT_EQ(chip.core.scratchpad_bytes, 1 << 20);
  EXPECT_EQ(chip.core.scratchpad_bytes_per_cycle, 48);  // the slower of port and memory
  EXPECT_EQ(chip.network.link_bytes_per_cycle, 24);
  EXPECT_EQ(chip.network.router_cycles, 3);
  EXPECT_EQ(chip.network.segment_bytes, 32 << 10);
  EXPECT_EQ(chip.network.buffer_segments, 3);
  EXPECT_EQ(chip.network.transit_cv, 0.2);
  EXPECT_EQ(chip.memory_unit.slots, 2);
  EXPECT_EQ(chip.dram.port_bytes_per_cycle, 20);
  EXPECT_EQ(chip.dram.latency_cycles, 9);
  EXPECT_EQ(chip.probe.record_bytes, 24);
  ASSERT_TRUE(chip.interconnect);
  EXPECT_EQ(chip.interconnect->networks[1].carries, (std::array{false, false, true}));
}

TEST(FabricSheet, AChipOfASheetIsWrittenAsOneThatReadsBack) {
  const Chip chip = parse_chip("schema: lento.chip/2\n" + kWorks, "c.yaml");
  const std::string text = write_chip(chip);
  const Chip again = parse_chip(text, "c.yaml");
  EXPECT_EQ(write_chip(again), text);
  EXPECT_EQ(again.interconnect->tiles, chip.interconnect->tiles);
  ASSERT_EQ(again.interconnect->chip_links.size(), 2u);
  EXPECT_EQ(again.interconnect->chip_links[0].bytes_per_cycle, 4);
  EXPECT_EQ(again.interconnect->networks[0].y, Sense::Down);
  EXPECT_EQ(again.interconnect->networks[1].table.size(), 1u);
  EXPECT_EQ(again.core_count(), chip.core_count());
}

TEST(FabricSheet, WhatNothingCanBeMappedOnIsToldAtOnce) {
  const auto refused = [](const std::string& body) {
    return base::test::error_of([&] {
      parse_chip("schema: lento.chip/2\n" + body, "c.yaml");
    });
  };
  const std::string all = refused(
      "width: 2\nheight: 1\nchips: 2\ntiles: {harvested: [\"0,0\", \"1,0\"]}\n"
      "networks: [{name: a, carries: [reads]}]\n");
  for (const char* text :
       {"not what a core computes",
        "no tile is a core that works",
        "nowhere to read from",
        "no network carries messages",
        "no network carries writes",
        "not joined to the others both ways"})
    EXPECT_THAT(all, HasSubstr(text));
  EXPECT_THAT(refused(kWorks + "progam: {}\n"), HasSubstr("did you mean 'program'?"));
  EXPECT_THAT(
      refused("width: 2\nheight: 1\ntiles: {dram: [\"0,0\"]}\ncore: {scratchpad_bytes_per_cycle: 3}\n"),
      HasSubstr("scratchpad_bytes_per_cycle"));
}

TEST(FabricSheet, AnUnknownLoadIsRefused) {
  EXPECT_THAT(
      complaint(kSmall + "networks:\n  - {name: a, carries: [reads, mail]}\n"),
      HasSubstr("found 'mail', needed messages, reads or writes"));
}

const std::string kTwoChips = "chips: 2\nclock: 1 GHz\n" + kSmall + "core: {ops_per_cycle: 100}\n";

TEST(FabricSheet, EqualPartsHaveNothingOfTheirOwn) {
  const FabricSheet sheet = parsed(kTwoChips);
  EXPECT_TRUE(sheet.core_rates.empty());
  EXPECT_TRUE(sheet.clocks_hz.empty());
}

TEST(FabricSheet, ClassesAndClocksAreOfTheTilesAndChipsNamed) {
  const FabricSheet sheet = parsed(
      kTwoChips + "core_classes:\n  - {ops_per_cycle: 50, tiles: [\"1,0\", \"0,2\"]}\n" +
      "chip_clocks:\n  - {chip: 1, clock: 800 MHz}\n");
  ASSERT_EQ(sheet.core_rates.size(), 12u);
  EXPECT_EQ(std::ranges::count(sheet.core_rates, 50), 2);
  EXPECT_EQ(sheet.core_rates[size_t(sheet.tile(0, 2))], 50);
  EXPECT_EQ(sheet.clocks_hz, (std::vector<double>{1e9, 8e8}));
}

TEST(FabricSheet, NothingIsFasterThanTheNumbersForAll) {
  EXPECT_THAT(
      complaint(kTwoChips + "core_classes:\n  - {ops_per_cycle: 101, tiles: [\"1,0\"]}\n"),
      HasSubstr("let 'core' be the fastest one"));
  EXPECT_THAT(
      complaint(kTwoChips + "chip_clocks:\n  - {chip: 1, clock: 2 GHz}\n"),
      HasSubstr("let 'clock' be that of the fastest chip"));
  EXPECT_THAT(complaint(kTwoChips + "chip_clocks:\n  - {chip: 2, clock: 1 GHz}\n"), HasSubstr("chip"));
  EXPECT_THAT(
      complaint(
          kTwoChips + "tiles: {dram: [\"1,0\"]}\ncore_classes:\n  - {ops_per_cycle: 50, tiles: [\"1,0\"]}\n"),
      HasSubstr("no core"));
}

}  // namespace
}  // namespace lento::spec

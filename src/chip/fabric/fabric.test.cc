// Routes and names of fabrics against what can be counted by hand.
#include "chip/fabric/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_error.h"

namespace lento::chip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const Fabric& fabric, const std::vector<int>& route) {
  std::vector<std::string> out;
  for (const int id : route)
    out.push_back(fabric.server_name(id));
  return out;
}

TEST(Fabric, MeshGoesXFirst) {
  const Fabric fabric(spec::mesh_fabric(3, 3));
  const int a = fabric.component({0, 0, 0});
  const int b = fabric.component({0, 2, 1});
  EXPECT_THAT(
      names(fabric, fabric.route(0, a, b)),
      ElementsAre(
          "core0-0",
          "noc/out0-0",
          "noc/link0-0>1-0",
          "noc/link1-0>2-0",
          "noc/link2-0>2-1",
          "noc/in2-1",
          "core2-1"));
  EXPECT_EQ(fabric.hops(0, a, b), 3);
  EXPECT_EQ(fabric.hops(0, a, a), 0);
}

TEST(Fabric, MeshHasTwoLinksPerPairOfNeighbours) {
  const Fabric fabric(spec::mesh_fabric(4, 3));
  int links = 0;
  for (int id = 0; id < fabric.server_count(); ++id)
    links += fabric.server(id).kind == ServerKind::Link;
  EXPECT_EQ(links, 2 * (3 * 3 + 4 * 2));
}

TEST(Fabric, RingTakesTheShorterWay) {
  const Fabric fabric(spec::ring_fabric(5));
  EXPECT_EQ(fabric.hops(0, 0, 4), 1);
  EXPECT_EQ(fabric.hops(0, 0, 2), 2);
  EXPECT_EQ(fabric.hops(0, 0, 3), 2);
}

TEST(Fabric, OppositeNetworksTakeOppositeWays) {
  spec::FabricSheet sheet = spec::torus_fabric(4, 4);
  spec::add_opposite_network(sheet);
  const Fabric fabric(sheet);
  const int a = fabric.component({0, 0, 0});
  const int b = fabric.component({0, 1, 2});
  EXPECT_EQ(fabric.hops(0, a, b), 3);  // right 1, down 2
  EXPECT_EQ(fabric.hops(1, a, b), 5);  // up 2, left 3
  EXPECT_EQ(names(fabric, fabric.route(1, a, b))[2], "noc-back/link0-0>0-3");
}

TEST(Fabric, TableRouteReplacesDimensionOrder) {
  const std::string text =
      "schema: lento.chip/2\nwidth: 2\nheight: 2\nnetworks:\n  - name: n\n    routes:\n"
      "      - [\"0,0\", \"0,1\", \"1,1\"]\n";
  const Fabric fabric(spec::parse_fabric(text, "t.yaml"));
  EXPECT_THAT(
      names(fabric, fabric.route(0, 0, 3)),
      ElementsAre("core0-0", "n/out0-0", "n/link0-0>0-1", "n/link0-1>1-1", "n/in1-1", "core1-1"));
  EXPECT_THAT(names(fabric, fabric.route(0, 3, 0)), testing::Contains("n/link1-1>0-1"));  // back: x first
}

TEST(Fabric, ChipsAreCrossedByTheirLinks) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 2);
  spec::join_chips(sheet, 3, false);
  const Fabric fabric(sheet);
  const int a = fabric.component({0, 0, 0});
  const int b = fabric.component({2, 1, 0});
  const auto way = names(fabric, fabric.route(0, a, b));
  EXPECT_THAT(way, testing::Contains("link0/1-1>1/0-1"));
  EXPECT_THAT(way, testing::Contains("link1/1-1>2/0-1"));
  EXPECT_EQ(way.front(), "chip0/core0-0");
  EXPECT_EQ(way[way.size() - 2], "chip2/noc/in1-0");
}

TEST(Fabric, ChipsThatNothingJoinsHaveNoRoute) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 2);
  sheet.chips = 2;
  const Fabric fabric(sheet);
  EXPECT_TRUE(fabric.route(0, 0, 5).empty());
  EXPECT_EQ(fabric.hops(0, 0, 5), -1);
}

TEST(Fabric, HarvestedTilesPassTrafficOn) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 3);
  spec::harvest(sheet, {1}, {});
  const Fabric fabric(sheet);
  EXPECT_EQ(fabric.kind(fabric.component({0, 1, 1})), spec::TileKind::Harvested);
  EXPECT_EQ(fabric.hops(0, fabric.component({0, 0, 0}), fabric.component({0, 0, 2})), 2);
}

TEST(Sheet, WormholeAsPublished) {
  const spec::FabricSheet sheet = spec::read_fabric("wormhole");
  int kinds[5] = {};
  for (const spec::TileKind kind : sheet.tiles)
    ++kinds[int(kind)];
  EXPECT_EQ(kinds[0], 80);  // Tensix
  EXPECT_EQ(kinds[1], 18);  // DRAM
  EXPECT_EQ(kinds[2], 16);  // Ethernet
  const Fabric fabric(sheet);
  const int a = fabric.component({0, 1, 1});
  const int b = fabric.component({0, 2, 1});
  EXPECT_EQ(fabric.hops(0, a, b), 1);
  EXPECT_EQ(fabric.hops(1, a, b), 9);
}

TEST(Sheet, BlackholeAsPublished) {
  const spec::FabricSheet sheet = spec::read_fabric("blackhole");
  int kinds[5] = {};
  for (const spec::TileKind kind : sheet.tiles)
    ++kinds[int(kind)];
  EXPECT_EQ(kinds[0], 140);
  EXPECT_EQ(kinds[1], 24);
  EXPECT_EQ(kinds[2], 14);
}

TEST(Sheet, VersionOneIsRead) {
  const spec::FabricSheet sheet =
      spec::parse_fabric("schema: lento.chip/1\nwidth: 4\nheight: 2\n", "one.yaml");
  EXPECT_EQ(sheet.width, 6);  // DRAM beside the first and the last column
  EXPECT_EQ(sheet.kind(0, 1), spec::TileKind::Dram);
  EXPECT_EQ(sheet.kind(1, 1), spec::TileKind::Core);
}

TEST(Sheet, NamesWhatIsWrong) {
  const auto error = [](const std::string& text) {
    return base::test::error_of([&] {
      spec::parse_fabric("schema: lento.chip/2\nwidth: 2\nheight: 2\n" + text, "c.yaml");
    });
  };
  EXPECT_THAT(error("tiles:\n  dram: [\"5,0\"]\n"), HasSubstr("outside the grid"));
  EXPECT_THAT(error("tiles:\n  dram: [\"x\"]\n"), HasSubstr("needed a tile"));
  EXPECT_THAT(
      error("networks:\n  - {name: a, topology: mesh, x: up}\n"),
      HasSubstr("a mesh must turn both ways"));
  EXPECT_THAT(error("networks:\n  - {name: a}\n  - {name: a}\n"), HasSubstr("occurs twice"));
  EXPECT_THAT(error("networks:\n  - {name: a, topology: ring}\n"), HasSubstr("a ring has one row"));
  EXPECT_THAT(error("speed: 1\n"), HasSubstr("speed"));
}

}  // namespace
}  // namespace lento::chip

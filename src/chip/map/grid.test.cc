#include "chip/map/grid.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lento::chip {
namespace {

spec::Chip chip_of(int width, int height, spec::Topology topology = spec::Topology::Mesh) {
  spec::Chip chip;
  chip.width = width;
  chip.height = height;
  chip.topology = topology;
  return chip;
}

TEST(Grid, AMeshHasItsLinks) {
  const Grid grid(chip_of(4, 4));
  EXPECT_EQ(grid.link_count(), 48);
  EXPECT_EQ(grid.links_of(5).size(), 8u);  // what a slow router slows
  EXPECT_EQ(grid.links_of(0).size(), 4u);
  EXPECT_EQ(grid.link_name(grid.find_link(5, 9)), "link5-9");
  EXPECT_EQ(grid.find_link(0, 15), -1);
}

TEST(Grid, RoutesGoAlongXThenY) {
  const Grid grid(chip_of(4, 4));
  const auto route = grid.route(1, 14);  // (1,0) -> (2,3)
  ASSERT_EQ(route.size(), 4u);
  EXPECT_EQ(grid.link_name(route[0].link), "link1-2");
  EXPECT_EQ(grid.link_name(route[3].link), "link10-14");
  EXPECT_TRUE(grid.route(3, 3).empty());
}

TEST(Grid, ColumnNumberingIsTheReleasedOne) {
  spec::Chip chip = chip_of(4, 4);
  chip.numbering = spec::Numbering::Columns;
  const Grid grid(chip);
  EXPECT_EQ(grid.core(1, 2), 6);
  EXPECT_EQ(grid.position(6).x, 1);
  const auto route = grid.route(0, 5);  // (0,0) -> (1,1): x first
  EXPECT_EQ(grid.link_name(route[0].link), "link0-4");
}

TEST(Grid, EveryRouteIsConnectedAndShortest) {
  for (const auto topology : {spec::Topology::Mesh, spec::Topology::Torus}) {
    const Grid grid(chip_of(5, 4, topology));
    const auto steps = [&](int a, int b, int side) {
      const int d = std::abs(a - b);
      return topology == spec::Topology::Torus ? std::min(d, side - d) : d;
    };
    for (int from = 0; from < 20; ++from) {
      for (int to = 0; to < 20; ++to) {
        int at = from;
        const auto route = grid.route(from, to);
        for (const Grid::Hop& hop : route) {
          EXPECT_EQ(grid.link(hop.link).from, at);
          at = grid.link(hop.link).to;
        }
        EXPECT_EQ(at, to);
        const Position a = grid.position(from);
        const Position b = grid.position(to);
        EXPECT_EQ(int(route.size()), steps(a.x, b.x, 5) + steps(a.y, b.y, 4));
      }
    }
  }
}

TEST(Grid, ARingChangesLaneAtItsDateline) {
  const Grid grid(chip_of(6, 1, spec::Topology::Ring));
  EXPECT_EQ(grid.link_count(), 12);
  const auto route = grid.route(4, 1);  // 4 -> 5 -> 0 -> 1
  ASSERT_EQ(route.size(), 3u);
  EXPECT_EQ(route[0].lane, 0);
  EXPECT_EQ(route[1].lane, 1);
  EXPECT_EQ(route[2].lane, 1);
}

TEST(Grid, EachCoreUsesTheNearestPortOfItsRow) {
  const Grid grid(chip_of(4, 4));
  EXPECT_EQ(grid.port_name(grid.port_of(9)), "dram-left-2");
  EXPECT_EQ(grid.port_name(grid.port_of(10)), "dram-right-2");
  EXPECT_EQ(grid.port_router(grid.port_of(10)), 11);
}

}  // namespace
}  // namespace lento::chip

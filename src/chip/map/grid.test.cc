#include "chip/map/grid.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "chip/map/faults.h"
#include "spec/fabric_sheet.h"

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

// Every chip that the properties below are checked on.
std::vector<spec::Chip> chips() {
  std::vector<spec::Chip> all;
  for (const auto& [width, height] :
       {std::pair{1, 1}, std::pair{2, 2}, std::pair{5, 3}, std::pair{3, 7}, std::pair{8, 8}}) {
    for (const auto topology : {spec::Topology::Mesh, spec::Topology::Torus}) {
      for (const auto numbering : {spec::Numbering::Rows, spec::Numbering::Columns}) {
        all.push_back(chip_of(width, height, topology));
        all.back().numbering = numbering;
      }
    }
  }
  all.push_back(chip_of(7, 1, spec::Topology::Ring));
  return all;
}

TEST(GridProperties, NumbersAndPlacesAreInverse) {
  for (const spec::Chip& chip : chips()) {
    const Grid grid(chip);
    for (int core = 0; core < grid.core_count(); ++core)
      EXPECT_EQ(grid.core(grid.position(core)), core);
    for (int x = 0; x < chip.width; ++x) {
      for (int y = 0; y < chip.height; ++y) {
        const Position p = grid.position(grid.core(x, y));
        EXPECT_EQ(p.x, x);
        EXPECT_EQ(p.y, y);
      }
    }
  }
}

TEST(GridProperties, EachLinkHasItsOpposite) {
  for (const spec::Chip& chip : chips()) {
    const Grid grid(chip);
    for (int id = 0; id < grid.link_count(); ++id) {
      const Grid::Link& link = grid.link(id);
      EXPECT_EQ(grid.find_link(link.from, link.to), id);
      const int back = grid.find_link(link.to, link.from);
      ASSERT_GE(back, 0);
      EXPECT_EQ(grid.link(back).wraps, link.wraps);
      EXPECT_EQ(grid.link_name(id), "link" + std::to_string(link.from) + "-" + std::to_string(link.to));
    }
  }
}

TEST(GridProperties, AMeshHasTwoLinksAnEdgeATorusTwoACoreAndSide) {
  for (int width = 3; width <= 6; ++width) {
    for (int height = 3; height <= 6; ++height) {
      EXPECT_EQ(Grid(chip_of(width, height)).link_count(), 2 * ((width - 1) * height + width * (height - 1)));
      EXPECT_EQ(Grid(chip_of(width, height, spec::Topology::Torus)).link_count(), 4 * width * height);
    }
  }
}

TEST(GridProperties, EveryCoreKnowsItsLinks) {
  for (const spec::Chip& chip : chips()) {
    const Grid grid(chip);
    size_t total = 0;
    for (int core = 0; core < grid.core_count(); ++core) {
      for (const int id : grid.links_of(core))
        EXPECT_TRUE(grid.link(id).from == core || grid.link(id).to == core);
      total += grid.links_of(core).size();
    }
    EXPECT_EQ(total, 2 * size_t(grid.link_count()));
  }
}

TEST(GridProperties, ARouteTurnsOnceAndCrossesTheDatelineUpwardsInLane) {
  for (const spec::Chip& chip : chips()) {
    const Grid grid(chip);
    for (int from = 0; from < grid.core_count(); ++from) {
      for (int to = 0; to < grid.core_count(); ++to) {
        bool along_y = false;
        int lane = 0;
        for (const Grid::Hop& hop : grid.route(from, to)) {
          const Grid::Link& link = grid.link(hop.link);
          const bool y = grid.position(link.from).x == grid.position(link.to).x;
          EXPECT_TRUE(y || !along_y) << "x comes first";
          if (y != along_y)
            lane = 0;
          along_y = y;
          lane = lane || link.wraps ? 1 : 0;
          EXPECT_EQ(hop.lane, lane);
        }
      }
    }
  }
}

TEST(GridProperties, PortsHangOnTheEdgeOfTheirRow) {
  for (const spec::Chip& chip : chips()) {
    const Grid grid(chip);
    EXPECT_EQ(grid.port_count(), 2 * chip.height);
    for (int core = 0; core < grid.core_count(); ++core) {
      const Position p = grid.position(core);
      const int port = grid.port_of(core);
      const Position edge = grid.position(grid.port_router(port));
      EXPECT_EQ(edge.y, p.y);
      const int left = p.x;
      const int right = chip.width - 1 - p.x;
      EXPECT_EQ(std::abs(edge.x - p.x), std::min(left, right));
      const bool on_left = edge.x == 0 && (chip.width > 1 || port < chip.height);
      EXPECT_EQ(grid.port_name(port), (on_left ? "dram-left-" : "dram-right-") + std::to_string(p.y));
    }
  }
}

TEST(GridProperties, NamesHaveTheNumberOfTheCore) {
  const Grid grid(chip_of(4, 4));
  EXPECT_EQ(grid.core_name(11), "core11");
  EXPECT_EQ(grid.router_name(11), "router11");
  EXPECT_EQ(grid.memory_unit_name(11), "lsu11");
}

// Two networks of opposite direction on 4 x 3 tiles; the corners of one side are DRAM, a column is switched
// off.
spec::FabricSheet small_sheet() {
  spec::FabricSheet sheet = spec::torus_fabric(4, 3);
  sheet.computes = true;
  sheet.tiles[size_t(sheet.tile(0, 0))] = spec::TileKind::Dram;
  sheet.tiles[size_t(sheet.tile(0, 2))] = spec::TileKind::Dram;
  spec::harvest(sheet, {}, {2});
  spec::add_opposite_network(sheet);
  return sheet;
}

TEST(GridOfASheet, CoresAreTheTilesThatWorkByTheirPlace) {
  const Grid grid(spec::chip_of(small_sheet()));
  EXPECT_EQ(grid.core_count(), 7);
  EXPECT_EQ(grid.router_count(), 24);
  EXPECT_EQ(grid.link_count(), 48);
  EXPECT_EQ(grid.port_count(), 2);
  EXPECT_EQ(grid.core(2, 1), -1);  // switched off
  EXPECT_EQ(grid.core(0, 0), -1);  // DRAM
  for (int core = 0; core < grid.core_count(); ++core) {
    const Position p = grid.position(core);
    EXPECT_EQ(grid.core(p), core);
    EXPECT_EQ(grid.core_name(core), "core" + std::to_string(p.x) + "-" + std::to_string(p.y));
  }
}

TEST(GridOfASheet, EachLoadTakesANetworkThatCarriesIt) {
  spec::FabricSheet sheet = small_sheet();
  sheet.networks[0].carries = {true, true, false};
  sheet.networks[1].carries = {true, false, true};
  const Grid grid(spec::chip_of(sheet));
  const int core = grid.core(1, 1);
  const auto first = [&](const std::vector<Grid::Hop>& hops) {
    return grid.link_name(hops.front().link);
  };
  EXPECT_EQ(first(grid.read_route(0, core)), "noc/link0-0>1-0");
  EXPECT_EQ(first(grid.write_route(core, 0)), "noc-back/link1-1>1-0");
  // A message takes the nearer of the two: one hop down on the second, two up on the first.
  EXPECT_EQ(first(grid.route(core, grid.core(1, 0))), "noc-back/link1-1>1-0");
  EXPECT_EQ(first(grid.route(grid.core(1, 0), core)), "noc/link1-0>1-1");
}

TEST(GridOfASheet, CoresTakeTheNearestPortAndOfEqualsTheLessUsed) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 1);
  sheet.computes = true;
  sheet.tiles = {spec::TileKind::Dram, spec::TileKind::Core, spec::TileKind::Dram};
  EXPECT_EQ(Grid(spec::chip_of(sheet)).port_of(0), 0);
  sheet.height = 2;
  sheet.tiles.insert(sheet.tiles.end(), sheet.tiles.begin(), sheet.tiles.end());
  const Grid grid(spec::chip_of(sheet));
  EXPECT_EQ(grid.port_name(grid.port_of(0)), "dram0-0");
  EXPECT_EQ(grid.port_name(grid.port_of(1)), "dram0-1");
}

TEST(GridOfASheet, ChipsStandSideBySide) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 2);
  sheet.computes = true;
  sheet.tiles[0] = spec::TileKind::Dram;
  spec::join_chips(sheet, 2, false);
  const Grid grid(spec::chip_of(sheet));
  EXPECT_EQ(grid.width(), 6);
  EXPECT_EQ(grid.core_count(), 10);
  EXPECT_EQ(grid.core_name(grid.core(4, 0)), "chip1/core1-0");
  EXPECT_EQ(grid.port_name(grid.port_of(grid.core(4, 0))), "chip1/dram0-0");
  const auto hops = grid.route(grid.core(2, 1), grid.core(3, 1));
  ASSERT_EQ(hops.size(), 1u);
  EXPECT_EQ(grid.link_name(hops[0].link), "link0/2-1>1/0-1");
  const Grid::Link& link = grid.link(hops[0].link);
  EXPECT_GE(link.from, grid.router_count());  // no router of a network
  EXPECT_EQ(grid.router_position(link.to).x, 3);
  EXPECT_GE(grid.find_link(link.to, link.from), 0);
  const Passage pass = passage(spec::chip_of(sheet), link);
  EXPECT_EQ(pass.bytes_per_cycle, 12.5);
  EXPECT_EQ(pass.cycles, 600);
}

TEST(GridOfASheet, NamesAreDistinctAndUnderstood) {
  spec::FabricSheet sheet = small_sheet();
  spec::join_chips(sheet, 2, true);
  const Grid grid(spec::chip_of(sheet));
  std::set<std::string> names;
  size_t count = 0;
  const auto add = [&](const std::string& name, Part part, int index) {
    ++count;
    EXPECT_TRUE(names.insert(name).second) << name;
    const Fault fault = component(name, grid, {});
    EXPECT_EQ(fault.part, part) << name;
    EXPECT_EQ(fault.index, index) << name;
  };
  for (int core = 0; core < grid.core_count(); ++core) {
    add(grid.core_name(core), Part::Core, core);
    add(grid.memory_unit_name(core), Part::MemoryUnit, core);
  }
  for (int router = 0; router < grid.router_count(); ++router)
    add(grid.router_name(router), Part::Router, router);
  for (int link = 0; link < grid.link_count(); ++link)
    add(grid.link_name(link), Part::Link, grid.link(link).from);
  for (int port = 0; port < grid.port_count(); ++port)
    add(grid.port_name(port), Part::DramPort, port);
  EXPECT_EQ(names.size(), count);
  EXPECT_THROW(component("chip0/core2-1", grid, {"f.yaml"}), base::Error);  // switched off
  EXPECT_THROW(component("core5", grid, {"f.yaml"}), base::Error);
}

}  // namespace
}  // namespace lento::chip

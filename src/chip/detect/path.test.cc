#include "chip/detect/path.h"

#include <gtest/gtest.h>

#include "chip/detect/scan.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {
namespace {

class PathTest : public testing::Test {
 protected:
  PathTest() {
    chip_.network.segment_bytes = 1000;
    chip_.network.router_cycles = 3;
  }
  spec::Chip chip_;  // links 16 B/cycle, scratchpads 128, units 4, ports 16
  const Grid grid_{chip_};

  Path path(ProbeKind kind, int peer, int core) const {
    return Path(chip_, grid_, {kind, 0, uint16_t(peer)}, core);
  }
};

TEST_F(PathTest, OneSegmentPassesOneServerAfterTheOther) {
  const Path message = path(ProbeKind::Message, 0, 2);
  EXPECT_EQ(message.links().size(), 2u);
  EXPECT_DOUBLE_EQ(message.cycles(800), 800 * (2.0 / 128 + 2.0 / 16) + 2 * 3);
  const Path read = path(ProbeKind::Read, grid_.port_of(4), 4);
  EXPECT_TRUE(read.links().empty());  // the port hangs on its own router
  EXPECT_DOUBLE_EQ(read.cycles(800), 800 * (1.0 / 16 + 1.0 / 4));
  const Path write = path(ProbeKind::Write, grid_.port_of(4), 4);
  EXPECT_DOUBLE_EQ(write.cycles(800), 800 * (1.0 / 4 + 1.0 / 128 + 1.0 / 16));
}

TEST_F(PathTest, MoreSegmentsFollowAtTheSlowestServer) {
  const Path message = path(ProbeKind::Message, 0, 1);
  const double first = 1000 * (2.0 / 128 + 1.0 / 16) + 3;
  EXPECT_DOUBLE_EQ(message.cycles(1000), first);
  EXPECT_DOUBLE_EQ(message.cycles(5000), first + 4000 / 16.0);
  const Path read = path(ProbeKind::Read, grid_.port_of(5), 5);
  EXPECT_EQ(read.links().size(), 1u);
  EXPECT_DOUBLE_EQ(read.cycles(5000), 1000 * (1.0 / 16 + 1.0 / 16 + 1.0 / 4) + 3 + 4000 / 4.0);
}

TEST_F(PathTest, ASlowServerCostsItsShare) {
  const Path message = path(ProbeKind::Message, 0, 2);
  EXPECT_DOUBLE_EQ(message.cycles(800, {Part::Link, 0, 1}, 5) - message.cycles(800), 800 * 4.0 / 16);
  EXPECT_DOUBLE_EQ(message.cycles(800, {Part::Router, 1}, 5) - message.cycles(800), 2 * 800 * 4.0 / 16);
  EXPECT_DOUBLE_EQ(message.cycles(800, {Part::Link, 4, 5}, 5), message.cycles(800));
  EXPECT_DOUBLE_EQ(message.cycles(800, {Part::Core, 0}, 5), message.cycles(800));
}

TEST_F(PathTest, CrossesItsLinksTheirRoutersAndItsEnds) {
  const Path message = path(ProbeKind::Message, 0, 5);  // along x, then y
  EXPECT_TRUE(message.crosses({Part::Link, 0, 1}));
  EXPECT_TRUE(message.crosses({Part::Link, 1, 5}));
  EXPECT_FALSE(message.crosses({Part::Link, 0, 4}));
  for (const int router : {0, 1, 5})
    EXPECT_TRUE(message.crosses({Part::Router, router}));
  EXPECT_FALSE(message.crosses({Part::Router, 4}));
  EXPECT_FALSE(message.crosses({Part::MemoryUnit, 5}));
  EXPECT_FALSE(message.crosses({Part::Core, -1}));
  const Path read = path(ProbeKind::Read, 2, 5);
  EXPECT_TRUE(read.crosses({Part::MemoryUnit, 5}));
  EXPECT_FALSE(read.crosses({Part::MemoryUnit, 4}));
  EXPECT_TRUE(read.crosses({Part::DramPort, 2}));
  EXPECT_FALSE(read.crosses({Part::DramPort, 3}));
}

TEST_F(PathTest, ALinkIsOneComponentBothWays) {
  EXPECT_EQ(link_component(grid_, grid_.find_link(6, 5)), (Component{Part::Link, 5, 6}));
  EXPECT_EQ(link_component(grid_, grid_.find_link(5, 6)), (Component{Part::Link, 5, 6}));
}

TEST_F(PathTest, ComponentsAndFaultsNameOneAnother) {
  for (const Component& c :
       {Component{Part::Core, 3},
        Component{Part::Link, 5, 6},
        Component{Part::Router, 7},
        Component{Part::MemoryUnit, 2},
        Component{Part::DramPort, 1}}) {
    const Fault f = fault_of(c, grid_);
    EXPECT_EQ(component_of(f), c) << f.name;
    EXPECT_EQ(component_of(component(f.name, grid_, {"test"})), c) << f.name;
  }
}

// Two cores: the first computes and sends, the second receives, reads and writes; twice an inference.
TEST_F(PathTest, RecordsArePlannedByTheProgram) {
  Program program;
  program.layers.resize(1);
  program.layers[0].id = 7;
  program.channels.resize(1);
  program.channels[0].from = 0;
  program.instructions.resize(5);
  program.instructions[0].action = Action::Compute;
  program.instructions[0].amount = 100;
  program.instructions[1].action = Action::Send;
  program.instructions[2].action = Action::Receive;
  program.instructions[2].amount = 64;
  program.instructions[3].action = Action::Read;
  program.instructions[3].amount = 128;
  program.instructions[4].action = Action::Write;
  program.instructions[4].amount = 256;
  program.sections = {{0, 2, 2}, {2, 5, 2}};
  program.first_section.assign(17, 2);
  program.first_section[0] = 0;
  program.first_section[1] = 1;
  std::vector<ProbeRecord> seen;
  for_each_record(program, grid_, [&](size_t core, const ProbeRecord& r, uint64_t times) {
    EXPECT_EQ(core, size_t(r.core));
    EXPECT_EQ(times, 2u);
    EXPECT_EQ(r.layer, 7u);
    seen.push_back(r);
  });
  ASSERT_EQ(seen.size(), 4u);  // a message is recorded where it is received
  EXPECT_EQ(seen[0].kind, ProbeKind::Compute);
  EXPECT_EQ(seen[1].kind, ProbeKind::Message);
  EXPECT_EQ(seen[1].peer, 0);
  EXPECT_EQ(seen[2].peer, grid_.port_of(1));
  const std::vector<PatternCount> counts = count_patterns(program, chip_);
  EXPECT_EQ(counts[0].computes, 1u);
  EXPECT_EQ(counts[0].transfers, 0u);
  EXPECT_EQ(counts[1].transfers, 3u);
}

// On every way over the chip the list holds what crosses() says, in order.
TEST_F(PathTest, ComponentsAreAllThatCross) {
  std::vector<Component> all = all_components(grid_);
  for (int core = 0; core < grid_.core_count(); ++core) {
    for (int peer = 0; peer < grid_.core_count(); ++peer) {
      if (peer == core)
        continue;
      for (const ProbeKind kind : {ProbeKind::Message, ProbeKind::Read, ProbeKind::Write}) {
        const Path way = path(kind, kind == ProbeKind::Message ? peer : grid_.port_of(core), core);
        std::vector<Component> crossed;
        std::ranges::copy_if(all, std::back_inserter(crossed), [&](const Component& c) {
          return way.crosses(c);
        });
        EXPECT_EQ(way.components(), crossed);
      }
    }
  }
}

// Two chips of one core and one DRAM tile each, joined by a link of 8 bytes a cycle that holds 50 cycles.
spec::Chip two_chips() {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 1);
  sheet.computes = true;
  sheet.tiles[1] = spec::TileKind::Dram;
  sheet.chips = 2;
  sheet.chip_links = {{{0, 0, 0}, {1, 0, 0}, 8, 50}, {{1, 0, 0}, {0, 0, 0}, 8, 50}};
  return spec::chip_of(sheet);
}

TEST(PathOverChips, TheLinkBetweenThemHasItsOwnRateAndIsOneComponent) {
  const spec::Chip chip = two_chips();
  const Grid grid(chip);
  const Path path(chip, grid, Pattern{ProbeKind::Message, 10, 0}, 1);
  ASSERT_EQ(path.links().size(), 1u);
  EXPECT_DOUBLE_EQ(path.cycles(800), 2 * 800 / 32.0 + 50 + 800 / 8.0);
  const Component joint = link_component(grid, path.links()[0]);
  EXPECT_TRUE(path.crosses(joint));
  EXPECT_EQ(name_of(joint, grid), "link0/0-0>1/0-0");
  EXPECT_DOUBLE_EQ(path.cycles(800, joint, 3), 2 * 800 / 32.0 + 50 + 3 * 800 / 8.0);
  for (int router = 0; router < grid.router_count(); ++router)
    EXPECT_FALSE(path.crosses({Part::Router, router})) << grid.router_name(router);
}

TEST(PathOverChips, AReadComesFromTheTileOfDram) {
  const spec::Chip chip = two_chips();
  const Grid grid(chip);
  const Path path(chip, grid, Pattern{ProbeKind::Read, 10, uint16_t(grid.port_of(1))}, 1);
  ASSERT_EQ(path.links().size(), 1u);
  EXPECT_EQ(grid.link_name(path.links()[0]), "chip1/noc/link1-0>0-0");
}

}  // namespace
}  // namespace lento::chip

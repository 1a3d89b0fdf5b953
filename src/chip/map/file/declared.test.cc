#include "chip/map/file/declared.h"

#include <gtest/gtest.h>

#include "chip/map/grid.h"

namespace lento::chip {
namespace {

const std::string kTwoChips =
    "schema: lento.chip/2\nclock: 100 MHz\nchips: 2\nwidth: 3\nheight: 1\n"
    "tiles:\n  dram: [\"2,0\"]\n"
    "chip_links:\n  - {from: \"0:2,0\", to: \"1:0,0\"}\n  - {from: \"1:0,0\", to: \"0:2,0\"}\n"
    "core: {ops_per_cycle: 1000}\n";

Deviations declared(const std::string& more) {
  const spec::FabricSheet sheet = spec::parse_fabric(kTwoChips + more, "f.yaml");
  return declared_parts(sheet, spec::chip_of(sheet));
}

TEST(Declared, EqualPartsDeclareNothing) {
  EXPECT_EQ(declared(""), Deviations{});
}

TEST(Declared, AClassIsSlowOnEveryChip) {
  const Deviations d = declared("core_classes:\n  - {ops_per_cycle: 250, tiles: [\"1,0\"]}\n");
  EXPECT_EQ(d.cores, (std::vector<double>{1, 4, 1, 4}));
  EXPECT_EQ(d.memory_units, std::vector<double>(4, 1));
  EXPECT_EQ(d.ports, std::vector<double>(2, 1));
}

TEST(Declared, AClockSlowsAllOfItsChipAndNoLinkBetween) {
  const Deviations d = declared("chip_clocks:\n  - {chip: 1, clock: 80 MHz}\n");
  EXPECT_EQ(d.cores, (std::vector<double>{1, 1, 1.25, 1.25}));
  EXPECT_EQ(d.memory_units, d.cores);
  EXPECT_EQ(d.ports, (std::vector<double>{1, 1.25}));
  const spec::Chip chip = spec::chip_of(spec::parse_fabric(kTwoChips, "f.yaml"));
  const Grid grid(chip);
  for (int id = 0; id < grid.link_count(); ++id) {
    const Grid::Link& link = grid.link(id);
    const bool inside_one = link.joint < 0 && grid.router_position(link.from).x >= 3;
    EXPECT_EQ(d.links[size_t(id)], inside_one ? 1.25 : 1) << grid.link_name(id);
  }
}

TEST(Declared, RatiosMultiplyAndMissingOnesAreOne) {
  const Deviations both = combined({{2, 3}, {}, {5}, {}}, {{4}, {}, {}, {7}});
  EXPECT_EQ(both, (Deviations{{8, 3}, {}, {5}, {7}}));
}

}  // namespace
}  // namespace lento::chip

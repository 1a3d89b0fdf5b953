#include "chip/sim/sweep.h"

#include <gtest/gtest.h>

#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

TEST(Sweep, EveryComponentOnceAndWhatIsUnusedCostsNothing) {
  spec::Chip chip;
  chip.width = chip.height = 2;
  const Program program = expand(test::two_layers(), chip, "m");
  const Model model(chip, program);
  const Sweep one = sweep(model, 10, {}, 1);
  const Sweep four = sweep(model, 10, {}, 4);
  ASSERT_EQ(one.rows.size(), 4u + 4 + 4 + 4 + 4);  // cores, links, routers, memory units, ports
  for (size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].cycles, four.rows[i].cycles) << one.rows[i].fault.name;
    if (one.rows[i].events == 0) {
      EXPECT_EQ(one.rows[i].cycles, one.healthy_cycles) << one.rows[i].fault.name;
    }
    if (one.rows[i].fault.name == "core0") {
      EXPECT_GT(one.rows[i].slowdown, 1.1);
    }
    if (one.rows[i].fault.name == "core3") {
      EXPECT_EQ(one.rows[i].events, 0u);
    }
  }
}

}  // namespace
}  // namespace lento::chip

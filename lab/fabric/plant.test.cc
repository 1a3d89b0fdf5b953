// The planting recipe on a trace small enough to follow by hand, and families of names.
#include "lab/fabric/plant.h"

#include <gtest/gtest.h>

#include "chip/fabric/test_program.h"
#include "lab/fabric/fit.h"

namespace lento::chip {
namespace {

TEST(Plant, LaterStampsMoveWithTheWait) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 1);
  sheet.core_memory.read_cycles = 100;
  const Fabric fabric(sheet);
  TransferTrace trace;
  test::add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 2, 2, 3200, 0, 10, 500);
  PlayOptions options;
  options.issue = Issue::Stamps;
  const Played played = play(fabric, trace, options);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < played.transfers.size(); ++i)
    all.push_back(i);
  const Planted same = plant(fabric, trace, played, slow_transfers(all, 1));
  EXPECT_EQ(same.moved, 0U);
  const Planted slow = plant(fabric, trace, played, slow_transfers(all, 10));
  EXPECT_EQ(slow.moved, 2U);
  const auto &before = trace.streams[0].records, &after = slow.trace.streams[0].records;
  const uint64_t shift = after[3].end - before[3].end;
  EXPECT_GT(shift, 0U);
  EXPECT_EQ(after[2].begin, before[2].begin);          // issued before the first wait's end
  EXPECT_EQ(after[4].begin, before[4].begin + shift);  // and after it
}

TEST(Plant, FamiliesAreWhatIsRead) {
  EXPECT_EQ(family_of("1x2_BLOCK_TO_2x4_HEIGHT"), "1x2_BLOCK");
  EXPECT_EQ(family_of("DRAM_TO_8x1_HEIGHT"), "DRAM_TO_HEIGHT");
}

}  // namespace
}  // namespace lento::chip

#include "chip/map/file/released.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "chip/map/file/map_file.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

using Kind = ReleasedProgram::Kind;

TEST(Released, CountsOfTheReleasedMappingAreExact) {
  const std::string map = test::shared_chip("released_darknet19.4x4.map.json");
  const std::string arch = test::shared_chip("released_4x4.arch.json");
  if (!test::readable(map))
    GTEST_SKIP() << map << " is not there";
  const ReleasedProgram program = expand_released(read_map(map), spec::read_chip(arch), map);
  EXPECT_EQ(program.count(Kind::Read), 35968u);
  EXPECT_EQ(program.count(Kind::Send), 9664u);
  EXPECT_EQ(program.count(Kind::Receive), 9664u);
  EXPECT_EQ(program.count(LayerKind::Conv), 5952u);
  EXPECT_EQ(program.count(Kind::Write), 4864u);
  EXPECT_EQ(program.count(LayerKind::Pool), 3392u);
}

TEST(Released, AReadWaitsForTheWriteOfItsPart) {
  Mapping mapping = test::two_layers();
  mapping.layers[1].segment = 2;
  mapping.layers[0].outputs[0].to_dram = true;
  mapping.layers[1].inputs[0].from_dram = true;
  spec::Chip chip;
  const ReleasedProgram program = expand_released(mapping, chip, "m");
  ASSERT_EQ(program.cores[1].size(), 6u);  // two passes of read, compute, write
  EXPECT_EQ(program.cores[1][0].needs, 1u);
  const auto& write = program.cores[0][3];
  ASSERT_EQ(write.kind, Kind::Write);
  ASSERT_EQ(write.triggers_end - write.triggers_begin, 1u);
  EXPECT_EQ(program.triggers[write.triggers_begin].core, 1u);
}

TEST(Released, CutsThatLeaveNothingAreRefused) {
  Mapping mapping = test::two_layers();
  mapping.layers[0].fetch = {1, 2, 1, 1};  // one channel cannot be cut in two
  EXPECT_THROW(expand_released(mapping, {}, "m"), base::Error);
}

TEST(Released, MoreSubStepsThanAPassCanHaveAreRefused) {
  Mapping mapping = test::two_layers();
  mapping.layers[0].inputs = {};
  mapping.layers[0].outputs = {};
  mapping.layers[0].weights = {};
  mapping.layers[0].fetch = {1 << 20, 1 << 20, 1 << 20, 1};
  EXPECT_THROW(expand_released(mapping, {}, "m"), base::Error);
}

}  // namespace
}  // namespace lento::chip

#include "chip/map/program.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "chip/map/file/map_file.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

using test::square;

TEST(Program, TwoLayersBecomeTwoTemplates) {
  const Program program = expand(test::two_layers(), square(2), "m");
  const auto sum = program.totals();
  EXPECT_EQ(sum.reads, 4u);  // input and weights, two passes
  EXPECT_EQ(sum.sends, 2u);
  EXPECT_EQ(sum.receives, 2u);
  EXPECT_EQ(sum.computes, 4u);
  EXPECT_EQ(sum.writes, 2u);
  EXPECT_EQ(sum.dram_bytes, 2u * (256 + 9 + 256));
  EXPECT_EQ(sum.message_bytes, 2u * 256);
  EXPECT_EQ(sum.operations, 2u * (256 * 9 + 256 * 4));
  EXPECT_EQ(program.instructions.size(), 7u);  // templates, not repetitions
  ASSERT_EQ(program.channels.size(), 1u);
  EXPECT_EQ(program.channels[0].from, 0u);
  EXPECT_EQ(program.channels[0].to, 1u);
  EXPECT_EQ(program.channels[0].credits, 64u);
}

TEST(Program, SubStepsNeverReadTwice) {
  Mapping mapping = test::two_layers();
  const auto before = expand(mapping, square(2), "m").totals();
  mapping.layers[0].fetch = {2, 3, 1, 2};
  const auto after = expand(mapping, square(2), "m").totals();
  EXPECT_EQ(after.dram_bytes, before.dram_bytes);
  EXPECT_EQ(after.operations, before.operations);
  EXPECT_EQ(after.sends, before.sends);
  EXPECT_EQ(after.computes, before.computes + 2 * 11);
}

// On one core the second layer finds its input there, and weights are asked for before what must be waited
// for.
TEST(Program, LayersThatShareACoreHandOnWithoutMessages) {
  Mapping mapping = test::two_layers();
  const Position core = mapping.layers[0].outputs[0].blocks[0].cores[0];
  for (auto* blocks : {&mapping.layers[1].inputs[0].blocks, &mapping.layers[1].outputs[0].blocks}) {
    for (Block& block : *blocks)
      block.cores = {core};
  }
  const Program program = expand(mapping, square(2), "m");
  EXPECT_TRUE(program.channels.empty());
  ASSERT_EQ(program.instructions.size(), 5u);  // weights, input, compute; compute, write
  EXPECT_EQ(program.instructions[0].amount, 9u);
  EXPECT_EQ(program.instructions[1].amount, 256u);
  EXPECT_EQ(program.totals().operations, 2u * (256 * 9 + 256 * 4));
}

// Two layers of one core need the same slice of another core's layer: it is sent once.
TEST(Program, WhatACoreHasReceivedItKeepsForItsLaterLayers) {
  Mapping mapping = test::two_layers();
  mapping.layers.push_back(mapping.layers[1]);
  mapping.layers[2].id = 2;
  const auto sent = [&] {
    return expand(mapping, square(2), "m").totals().sends;
  };
  EXPECT_EQ(sent(), 2u);  // one a pass
  const Position other{0, 1};
  for (auto* blocks : {&mapping.layers[2].inputs[0].blocks, &mapping.layers[2].outputs[0].blocks}) {
    for (Block& block : *blocks)
      block.cores = {other};
  }
  EXPECT_EQ(sent(), 4u);
}

TEST(Program, ReadingWhatWasNeverWrittenIsAnError) {
  Mapping mapping = test::two_layers();
  mapping.layers[1].inputs[0].from_dram = true;
  EXPECT_THROW(expand(mapping, square(2), "m"), base::Error);
}

// Counts that another program computed from the same mapping file.
TEST(Program, CountsOfRealMappings) {
  struct Known {
    const char* name;
    int side;
    uint64_t messages;
    double dram_mb;
    double noc_mb;
  };
  for (const Known& known :
       {Known{"darknet19.4x4", 4, 7264, 2200, 136},
        Known{"googlenet.4x4", 4, 8896, 942, 252},
        Known{"vgg19.4x4", 4, 4992, 2487, 107},
        Known{"resnet50.4x4", 4, 32720, 5168, 531},
        Known{"darknet19.8x8", 8, 30528, 2137, 507},
        Known{"resnet50.8x8", 8, 147728, 5862, 1176}}) {
    const std::string path = test::shared_chip("gemini/") + known.name + ".map.json";
    if (!test::readable(path))
      GTEST_SKIP() << path << " is not there";
    const auto sum = expand(read_map(path), square(known.side), path).totals();
    EXPECT_EQ(sum.sends, known.messages) << known.name;
    EXPECT_EQ(sum.receives, known.messages) << known.name;
    EXPECT_NEAR(sum.dram_bytes / 1e6, known.dram_mb, 0.6) << known.name;
    EXPECT_NEAR(sum.message_bytes / 1e6, known.noc_mb, 0.6) << known.name;
  }
}

}  // namespace
}  // namespace lento::chip

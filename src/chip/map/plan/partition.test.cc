// Cuts of a layer and segments of a graph: what every list of them must hold, and costs in closed form.
#include "chip/map/plan/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/test_error.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {
namespace {

// A convolution of 1 x 1 over 1 x c x h x w from DRAM or another layer.
Layer pointwise(int64_t out, int64_t in, int64_t h, int64_t w, int source) {
  Layer layer;
  layer.name = "conv" + std::to_string(source + 1);
  layer.layout = default_layout({1, out, h, w});
  layer.depth = in;
  DimRule same{DimRule::Kind::Same, 2};
  layer.operands = {{whole(source, {1, in, h, w}), {{DimRule::Kind::Same, 0}, {}, same, same}, false}};
  layer.operands[0].rules[3].from = 3;
  return layer;
}

spec::Chip chip_of(int side) {
  spec::Chip chip;
  chip.width = chip.height = side;
  return chip;
}

TEST(PartRange, PartsAreDisjointWholeAndNearlyEqual) {
  base::Rng rng(1, "parts");
  for (int i = 0; i < 500; ++i) {
    const auto extent = int64_t(1 + rng.below(1000));
    const auto parts = int64_t(1 + rng.below(uint64_t(extent)));
    int64_t at = 0;
    for (int64_t k = 0; k < parts; ++k) {
      const Range r = part_range(extent, parts, k);
      EXPECT_EQ(r.start, at);
      EXPECT_GE(r.size(), extent / parts);
      EXPECT_LE(r.size(), (extent + parts - 1) / parts);
      at = r.end;
    }
    EXPECT_EQ(at, extent);
  }
}

TEST(Cuts, MoreCoresOnlyForABetterScore) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    base::Rng rng(seed, "cuts");
    const Layer layer = pointwise(
        int64_t(1 + rng.below(200)),
        int64_t(1 + rng.below(200)),
        int64_t(1 + rng.below(30)),
        int64_t(1 + rng.below(30)),
        -1);
    const spec::Chip chip = chip_of(int(2 + rng.below(6)));
    const auto samples = int64_t(1 + rng.below(8));
    for (const Supply supply : {Supply::Dram, Supply::Cores}) {
      const std::vector<Cut> cuts = list_cuts(layer, chip, samples, supply);
      for (size_t i = 0; i < cuts.size(); ++i) {
        const Cut& c = cuts[i];
        EXPECT_EQ(c.cores, c.parts[0] * c.parts[1] * c.parts[2] * c.parts[3]);
        EXPECT_LE(c.cores, chip.core_count());
        EXPECT_LE(c.parts[0], samples);
        EXPECT_GE(c.score, c.core_cycles);
        for (size_t a = 0; a < 3; ++a)
          EXPECT_LE(c.parts[a + 1], layer.layout.extents[a]);
        if (i == 0)
          continue;
        EXPECT_GT(c.cores, cuts[i - 1].cores) << seed;
        EXPECT_LT(c.score, cuts[i - 1].score) << seed;
      }
    }
  }
}

TEST(Cuts, OneCoreTakesTheLargestOfItsThreeTimes) {
  spec::Chip chip = chip_of(1);
  chip.core.scratchpad_bytes = int64_t{1} << 30;
  const Layer layer = pointwise(32, 64, 10, 10, -1);
  const double compute = 32.0 * 100 * 64 / chip.core.ops_per_cycle;
  const double unit = chip.memory_unit.slots * chip.memory_unit.bytes_per_cycle;
  const std::vector<Cut> cuts = list_cuts(layer, chip, 1, Supply::Dram);
  ASSERT_EQ(cuts.size(), 1U);
  EXPECT_DOUBLE_EQ(cuts[0].input_bytes, 6400);
  EXPECT_DOUBLE_EQ(cuts[0].weight_bytes, 32 * 64);
  EXPECT_DOUBLE_EQ(
      cuts[0].core_cycles,
      std::max(compute, (6400 + 32.0 * 64) / unit) + chip.core.start_up_cycles);
  EXPECT_DOUBLE_EQ(cuts[0].score, cuts[0].core_cycles + (6400 + 32.0 * 64) / dram_bytes_per_cycle(chip));
  const std::vector<Cut> received = list_cuts(layer, chip, 1, Supply::Cores);
  EXPECT_DOUBLE_EQ(
      received.at(0).core_cycles,
      std::max({compute, 32.0 * 64 / unit, 6400 / chip.network.link_bytes_per_cycle}) +
          chip.core.start_up_cycles);
}

TEST(Cuts, ASmallScratchpadMeansSubStepsAndATinyOneNothing) {
  spec::Chip chip = chip_of(4);
  const Layer layer = pointwise(64, 64, 16, 16, -1);
  chip.core.scratchpad_bytes = int64_t{1} << 30;
  for (const Cut& c : list_cuts(layer, chip, 4, Supply::Dram))
    EXPECT_EQ(c.fetch, (std::array<int, 4>{1, 1, 1, 1}));
  chip.core.scratchpad_bytes = 2 * 6000;
  bool stepped = false;
  for (const Cut& c : list_cuts(layer, chip, 4, Supply::Dram)) {
    stepped = stepped || c.fetch != std::array<int, 4>{1, 1, 1, 1};
    EXPECT_TRUE(c.fetch[1] == 1 || c.fetch[0] * c.fetch[2] * c.fetch[3] == 1);  // one of the two is resident
  }
  EXPECT_TRUE(stepped);
  chip.core.scratchpad_bytes = 64;
  EXPECT_TRUE(list_cuts(layer, chip, 4, Supply::Dram).empty());
}

TEST(Cuts, InputsOfPartsWithoutHaloAddUpToTheWhole) {
  const Layer layer = pointwise(8, 5, 12, 9, -1);
  int64_t sum = 0;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t k = 0; k < 2; ++k)
      sum += input_bytes(layer, {{{0, 8}, part_range(12, 3, i), part_range(9, 2, k)}});
  }
  EXPECT_EQ(sum, 5 * 12 * 9);
  EXPECT_EQ(input_bytes(layer, {{{0, 1}, {0, 12}, {0, 9}}}), 5 * 12 * 9);  // any channel needs all of them
}

LayerGraph chain(base::Rng& rng, int layers) {
  LayerGraph graph;
  int64_t channels = int64_t(4 + rng.below(30));
  for (int i = 0; i < layers; ++i) {
    const auto next = int64_t(4 + rng.below(60));
    graph.layers.push_back(pointwise(next, channels, 8, 8, i - 1));
    channels = next;
  }
  return graph;
}

TEST(Segments, EveryLayerHasCoresAndSegmentsFollowTheOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "segments");
    const LayerGraph graph = chain(rng, int(2 + rng.below(8)));
    const spec::Chip chip = chip_of(int(2 + rng.below(3)));
    MapOptions options;
    options.batch = int64_t(1 + rng.below(12));
    const Plan plan = plan_segments(graph, chip, options, "m", {});
    ASSERT_EQ(plan.layers.size(), graph.layers.size());
    std::vector<int> used(size_t(plan.segments), 0);
    std::vector<int64_t> samples(size_t(plan.segments), 0);
    int last = 0;
    for (const PlannedLayer& layer : plan.layers) {
      EXPECT_TRUE(layer.segment == last || layer.segment == last + 1) << seed;
      last = layer.segment;
      used[size_t(layer.segment)] += layer.cut.cores;
      EXPECT_EQ(options.batch % layer.samples, 0);
      int64_t& of = samples[size_t(layer.segment)];
      EXPECT_TRUE(of == 0 || of == layer.samples) << "one size of passes a segment";
      of = layer.samples;
    }
    EXPECT_EQ(last, plan.segments - 1);
    for (const int cores : used)
      EXPECT_LE(cores, chip.core_count()) << seed;
  }
}

TEST(Segments, MoreFreedomIsNeverDearer) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "freedom");
    const LayerGraph graph = chain(rng, int(2 + rng.below(6)));
    const spec::Chip chip = chip_of(3);
    double before = INFINITY;
    for (const int most : {1, 2, 4, 40}) {
      MapOptions options;
      options.batch = 6;
      options.max_segment_layers = most;
      const Plan plan = plan_segments(graph, chip, options, "m", {});
      EXPECT_LE(plan.cycles, before + 1e-6) << seed << " " << most;
      before = plan.cycles;
      std::vector<int> layers(size_t(plan.segments), 0);
      for (const PlannedLayer& layer : plan.layers)
        EXPECT_LE(++layers[size_t(layer.segment)], most);
    }
  }
}

TEST(Segments, WhatFitsNowhereIsNamedAndAStopIsObeyed) {
  base::Rng rng(1, "chain");
  const LayerGraph graph = chain(rng, 3);
  spec::Chip chip = chip_of(2);
  chip.core.scratchpad_bytes = 16;
  EXPECT_THAT(
      base::test::error_of([&] {
        plan_segments(graph, chip, {}, "net.onnx", {});
      }),
      testing::AllOf(testing::HasSubstr("net.onnx"), testing::HasSubstr("layer 'conv0'")));
  base::Progress stop;
  stop.stop = [] {
    return true;
  };
  EXPECT_THROW(plan_segments(graph, chip_of(2), {}, "net.onnx", stop), base::Error);
}

}  // namespace
}  // namespace lento::chip

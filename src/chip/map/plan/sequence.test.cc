// Layers one after the other on the same cores: what fits, what is handed on, what a mapping of them shows.
#include "chip/map/plan/sequence.h"

#include <gtest/gtest.h>

#include <set>

#include "chip/map/grid.h"
#include "chip/map/identify.h"
#include "chip/map/program.h"
#include "spec/transformer_network.h"

namespace lento::chip {
namespace {

LayerGraph transformer(int64_t tokens) {
  spec::TransformerShape m;
  m.layers = 2;
  m.hidden = 128;
  m.heads = m.kv_heads = 4;
  m.head_size = 32;
  m.ffn = 512;
  spec::TransformerRun run;
  run.tokens = tokens;
  return lower(spec::transformer_network(m, run, "config.json"), "config.json");
}

spec::Chip square(int side) {
  spec::Chip chip;
  chip.width = chip.height = side;
  return chip;
}

TEST(Sequence, ATransformerStaysOnTheChip) {
  const LayerGraph graph = transformer(64);
  const auto plan = plan_sequence(graph, square(4), {8});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->segments, 1);
  ASSERT_EQ(plan->layers.size(), graph.layers.size());
  for (const PlannedLayer& layer : plan->layers) {
    EXPECT_LE(layer.cut.cores, 16);
    EXPECT_GE(layer.cut.cores, 8);
    EXPECT_EQ(8 % layer.samples, 0);
  }
  // Only the network's input is read, only its output written, and every weight at least once.
  const Mapping mapping = map_network(graph, square(4), {8}, "m");
  const auto sum = expand(mapping, square(4), "m").totals();
  const uint64_t weights = 2 * (4 * 128 * 128 + 2 * 128 * 512);
  const uint64_t ends = 8 * 64 * 128;
  EXPECT_GE(sum.dram_bytes, weights + 2 * ends);
  EXPECT_LE(sum.dram_bytes, 16 * weights + 4 * ends);
}

TEST(Sequence, SmallScratchpadsMakeMoreSegmentsOrNone) {
  const LayerGraph graph = transformer(64);
  spec::Chip chip = square(2);
  int most = 1;
  for (int kib = 64; kib >= 48; --kib) {
    chip.core.scratchpad_bytes = int64_t{kib} << 10;
    if (const auto plan = plan_sequence(graph, chip, {1}))
      most = std::max(most, plan->segments);
  }
  EXPECT_GT(most, 1);
  chip.core.scratchpad_bytes = 64;
  EXPECT_FALSE(plan_sequence(graph, chip, {1}));
}

TEST(Sequence, WithoutAttentionThereIsNone) {
  EXPECT_TRUE(has_attention(transformer(8)));
  LayerGraph graph = transformer(8);
  std::erase_if(graph.layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.operands, &Operand::is_weight);
  });
  EXPECT_FALSE(has_attention(graph));
}

// A sample a column of cores needs links of columns only; the second half of the layers lies along rows.
TEST(Sequence, SamplesOnColumnsStillCrossAllLinks) {
  const spec::Chip chip = square(8);
  const Grid grid(chip);
  const Mapping mapping = map_network(transformer(128), chip, {8}, "m");
  const Identifiability seen = identify(expand(mapping, chip, "m"), grid, LinkRank::Skip);
  EXPECT_GE(seen.used_links, 0.9 * grid.link_count());
}

}  // namespace
}  // namespace lento::chip

// Products in runs, and weights that are handed on: the same work, fewer bytes from DRAM.
#include "chip/map/plan/runs.h"

#include <gtest/gtest.h>

#include <map>

#include "chip/map/file/map_file.h"
#include "chip/map/plan/mapper.h"
#include "chip/map/program.h"
#include "spec/transformer_network.h"

namespace lento::chip {
namespace {

LayerGraph transformer() {
  spec::TransformerShape m;
  m.layers = 2;
  m.hidden = 256;
  m.heads = m.kv_heads = 4;
  m.head_size = 64;
  m.ffn = 1024;
  spec::TransformerRun run;
  run.tokens = 256;
  return lower(spec::transformer_network(m, run, "config.json"), "config.json");
}

spec::Chip square(int side) {
  spec::Chip chip;
  chip.width = chip.height = side;
  return chip;
}

Mapping mapped(const std::function<double(const Mapping&)>& judge) {
  MapOptions options;
  options.batch = 8;
  options.judge = judge;
  return map_network(transformer(), square(4), options, "m");
}

const Mapping& least_dram() {
  static const Mapping mapping = mapped([](const Mapping& m) {
    return double(expand(m, square(4), "m").totals().dram_bytes);
  });
  return mapping;
}

bool carries_weights(const std::string& name) {
  return name.ends_with(".weights");
}

// By what a run belongs to: products made (elements of layers without weights), and weights used. Sums of
// what the cores of a group made are no part of the network.
std::map<std::string, std::pair<int64_t, int64_t>> work_of(const Mapping& mapping, const LayerGraph& graph) {
  std::map<std::string, std::pair<int64_t, int64_t>> work;
  for (const MappedLayer& layer : mapping.layers) {
    if (carries_weights(layer.name) || layer.name.ends_with(".down.sum"))
      continue;
    const auto whole = std::ranges::find_if(graph.layers, [&](const Layer& l) {
      return layer.name == l.name || layer.name.starts_with(l.name + ".");
    });
    EXPECT_NE(whole, graph.layers.end()) << layer.name;
    const std::vector<Block>& weights = layer.weights.front().blocks;
    const int64_t depth = weights.empty() || !whole->weights_from_dram ? 1 : weights.front().slice[2].size();
    for (const Block& block : layer.outputs.front().blocks)
      work[whole->name].first += depth * volume(block.slice) * int64_t(block.cores.size());
    for (const Block& block : layer.weights.front().blocks)
      work[whole->name].second += volume(block.slice) * int64_t(block.cores.size());
  }
  return work;
}

TEST(Runs, WeightsAreReadOnceBySharers) {
  const Mapping& shared = least_dram();
  const auto sum = expand(shared, square(4), "m").totals();
  const auto without = expand(mapped({}), square(4), "m").totals();
  const uint64_t weights = 2 * (4 * 256 * 256 + 2 * 256 * 1024);
  const uint64_t ends = 8 * 256 * 256;
  EXPECT_GE(sum.dram_bytes, weights + 2 * ends);
  EXPECT_LT(sum.dram_bytes, without.dram_bytes);
  size_t handed = 0;
  for (const MappedLayer& layer : shared.layers)
    handed += carries_weights(layer.name) ? 1 : 0;
  EXPECT_GT(handed, 0u);
}

TEST(Runs, EveryOutputIsMadeOnce) {
  const LayerGraph graph = transformer();
  for (const auto& [name, work] : work_of(least_dram(), graph)) {
    const auto layer = std::ranges::find(graph.layers, name, &Layer::name);
    ASSERT_NE(layer, graph.layers.end());
    const auto& e = layer->layout.extents;
    const int64_t depth = layer->weights_from_dram ? std::max<int64_t>(1, layer->depth) : 1;
    EXPECT_EQ(work.first, 8 * e[0] * e[1] * e[2] * depth) << name;
    EXPECT_EQ(work.second % std::max<int64_t>(1, e[0] * layer->depth), 0) << name;
  }
}

TEST(Runs, LayersAreNumberedInOrderAndReadEarlierOnes) {
  const Mapping& mapping = least_dram();
  for (size_t i = 0; i < mapping.layers.size(); ++i) {
    EXPECT_EQ(mapping.layers[i].id, int(i));
    for (const InputFeature& input : mapping.layers[i].inputs)
      EXPECT_LT(input.source_layer, int(i));
    for (const OutputFeature& output : mapping.layers[i].outputs)
      for (const int reader : output.next)
        EXPECT_GT(reader, int(i));
  }
}

TEST(Runs, WeightsStandAtLeastOneRunAhead) {
  const Mapping& mapping = least_dram();
  for (size_t i = 0; i < mapping.layers.size(); ++i) {
    const MappedLayer& weights = mapping.layers[i];
    if (!carries_weights(weights.name) || i == 0)
      continue;
    ASSERT_EQ(weights.outputs.front().next.size(), 1u);
    const auto reader = size_t(weights.outputs.front().next.front());
    const bool ahead = std::any_of(
        mapping.layers.begin() + ptrdiff_t(i),
        mapping.layers.begin() + ptrdiff_t(reader),
        [](const MappedLayer& l) {
          return !l.weights.front().blocks.empty();
        });
    EXPECT_TRUE(ahead || i < 3) << weights.name;
  }
}

// The ranks of a product stand on cores of their own, which have its input already.
TEST(Runs, RanksHaveTheirChannelsAtHome) {
  const Mapping mapping = mapped([](const Mapping& m) {
    return double(expand(m, square(4), "m").totals().message_bytes);
  });
  std::map<std::string, std::map<std::pair<int, int>, std::string>> rank_of;  // by product and core
  for (const MappedLayer& layer : mapping.layers) {
    const size_t at = layer.name.find(".rank");
    if (at == std::string::npos || carries_weights(layer.name))
      continue;
    const std::string rank = layer.name.substr(at, layer.name.find('.', at + 1) - at);
    for (const Block& block : layer.outputs.front().blocks) {
      const Position p = block.cores.front();
      const auto [found, fresh] = rank_of[layer.name.substr(0, at)].try_emplace({p.x, p.y}, rank);
      EXPECT_EQ(found->second, rank) << layer.name;
    }
  }
  ASSERT_EQ(rank_of.size(), 2u);
  for (const auto& [product, cores] : rank_of)
    EXPECT_EQ(cores.size(), 16u) << product;
}

TEST(Runs, TheJudgeDecides) {
  int asked = 0;
  std::string first;
  const Mapping taken = mapped([&](const Mapping& m) {
    if (asked == 0)
      first = write_map(m);
    return double(asked++);
  });
  EXPECT_GT(asked, 1);
  EXPECT_EQ(write_map(taken), first);
}

}  // namespace
}  // namespace lento::chip

// Exchanges in stages: everyone gets what it needs, far middles are crossed once, sums count every rank once.
#include "chip/map/plan/stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "chip/map/file/map_file.h"
#include "chip/map/lower/test_transformer.h"
#include "chip/map/plan/blocks.h"
#include "chip/map/plan/mapper.h"
#include "chip/map/plan/partition.h"
#include "chip/map/program.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

using test::square;

uint32_t turned(uint32_t index, uint32_t count) {
  uint32_t out = 0;
  for (uint32_t bit = 1; bit < count; bit <<= 1)
    out = out << 1 | (index & bit ? 1u : 0u);
  return out;
}

// 16 rows of 64 channels on 16 cores. The first layer makes a row a core, the second needs `need` of them.
struct Exchange {
  spec::Chip chip = square(4);
  std::vector<Position> cores = BlockOrder(Grid(chip), false).cores();
  std::vector<Position> orders[2] = {cores, cores};
  LayerGraph graph;
  Mapping mapping{"exchange", 1, {}};
  Plan plan;

  MappedLayer& add(const std::string& name, LayerKind kind = LayerKind::Elementwise) {
    MappedLayer layer;
    layer.id = int(mapping.layers.size());
    layer.name = name;
    layer.kind = kind;
    layer.weights = {{true, {}}};
    mapping.layers.push_back(layer);
    plan.layers.emplace_back();
    graph.layers.emplace_back();
    return mapping.layers.back();
  }
  // Slice i of the channels or rows, cut into 16, on the core where its index turned around stands.
  std::vector<Block> spread(size_t axis, int64_t whole_channels = 64) const {
    std::vector<Block> blocks;
    for (uint32_t i = 0; i < 16; ++i) {
      Slice slice{Range{0, 1}, Range{0, whole_channels}, Range{0, 16}, Range{0, 1}};
      slice[axis] = part_range(axis == 1 ? whole_channels : 16, 16, i);
      blocks.push_back({{cores[turned(i, 16)]}, slice});
    }
    return blocks;
  }
  std::vector<Block> everything() const {
    return {{cores, {Range{0, 1}, Range{0, 64}, Range{0, 16}, Range{0, 1}}}};
  }
  Staged staged() const {
    return in_stages(graph, mapping, plan, orders, SIZE_MAX);
  }
  Program program(const Mapping& of) const {
    return expand(of, chip, "m");
  }
  // Bytes that messages carry over the link between the halves of the chip in each row, both ways.
  uint64_t over_the_middle(const Mapping& of) const {
    const Program program = expand(of, chip, "m");
    const Grid grid(chip);
    uint64_t bytes = 0;
    for (const Instruction& i : program.instructions) {
      if (i.action != Action::Send)
        continue;
      const Program::Channel& c = program.channels[i.target];
      const bool left = grid.position(int(c.from)).x < 2;
      if (left != (grid.position(int(c.to)).x < 2))
        bytes += i.amount;
    }
    return bytes;
  }
};

Exchange gathering() {
  Exchange e;
  e.add("rows").outputs = {{false, {1}, e.spread(2)}};
  MappedLayer& reader = e.add("product");
  reader.inputs = {{false, 0, e.everything()}};
  reader.outputs = {{true, {}, e.spread(1)}};
  return e;
}

TEST(Stages, AShareCrossesTheMiddleOnce) {
  const Exchange e = gathering();
  const Staged staged = e.staged();
  ASSERT_EQ(staged.mapping.layers.size(), 6u);  // four halvings of 16 cores
  EXPECT_EQ(staged.plan.layers.size(), 6u);
  EXPECT_EQ(staged.mapping.layers[1].name, "product.gather1");
  EXPECT_EQ(e.over_the_middle(e.mapping), 16u * 8 * 64);
  EXPECT_EQ(e.over_the_middle(staged.mapping), 16u * 64);
  const auto before = e.program(e.mapping).totals();
  const auto after = e.program(staged.mapping).totals();
  EXPECT_EQ(after.message_bytes, before.message_bytes);
  EXPECT_EQ(before.sends, 16u * 15);
  EXPECT_EQ(after.sends, 16u * 4);
}

// Whatever a core needs it has in the last stage itself: the reader receives nothing.
TEST(Stages, TheReaderFindsEverythingAtHome) {
  const Exchange e = gathering();
  const Mapping staged = e.staged().mapping;
  for (const Instruction& i : e.program(staged).instructions)
    EXPECT_FALSE(i.action == Action::Receive && i.layer == staged.layers.size() - 1);
}

// Of a product each half of the channels takes its own order of halvings.
TEST(Stages, ProductsGatherTwoHalvesInTwoWays) {
  Exchange e = gathering();
  e.mapping.layers[1].weights.front().blocks = e.spread(1);
  const Mapping staged = e.staged().mapping;
  ASSERT_EQ(staged.layers.size(), 10u);
  EXPECT_EQ(staged.layers[1].name, "product.gather1.a");
  EXPECT_EQ(staged.layers[2].name, "product.gather1.b");
  ASSERT_EQ(staged.layers.back().inputs.size(), 2u);
  const auto across = [&](size_t layer) {  // columns that its messages change
    std::set<int> apart;
    const Grid grid(e.chip);
    const Program program = e.program(staged);
    for (const Instruction& i : program.instructions) {
      const Program::Channel* c = i.action == Action::Send ? &program.channels[i.target] : nullptr;
      if (c && i.layer == layer)
        apart.insert(grid.position(int(c->from)).x - grid.position(int(c->to)).x);
    }
    return apart.size() > 1;
  };
  EXPECT_NE(across(1), across(2));
  EXPECT_EQ(e.program(staged).totals().message_bytes, e.program(e.mapping).totals().message_bytes);
  for (const Instruction& i : e.program(staged).instructions)
    EXPECT_FALSE(i.action == Action::Receive && i.layer == staged.layers.size() - 1);
}

TEST(Stages, ReadersOfTheSameShareOneExchange) {
  Exchange e = gathering();
  MappedLayer& second = e.add("another");
  second.inputs = {{false, 0, e.everything()}};
  second.outputs = {{true, {}, e.spread(1)}};
  const Mapping staged = e.staged().mapping;
  ASSERT_EQ(staged.layers.size(), 7u);
  EXPECT_EQ(staged.layers[6].inputs.front().source_layer, staged.layers[5].inputs.front().source_layer);
}

// What turns rows into channels: halvings of both where the rows stand in order, and too many slices where
// they are turned around like the channels.
TEST(Stages, ChannelsBecomeRowsInHalvings) {
  Exchange e;
  e.add("channels").outputs = {{false, {1}, e.spread(1)}};
  MappedLayer& reader = e.add("norm");
  reader.inputs = {{false, 0, e.spread(2)}};
  reader.outputs = {{true, {}, e.spread(2)}};
  EXPECT_EQ(e.staged().mapping.layers.size(), 2u);
  std::vector<Block>& needs = e.mapping.layers[1].inputs.front().blocks;
  for (size_t i = 0; i < needs.size(); ++i)
    needs[i].cores = {e.cores[i]};
  e.mapping.layers[1].outputs.front().blocks = needs;
  const Mapping staged = e.staged().mapping;
  ASSERT_EQ(staged.layers.size(), 6u);
  const auto before = e.program(e.mapping).totals();
  const auto after = e.program(staged).totals();
  EXPECT_EQ(before.sends, 16u * 15);
  EXPECT_EQ(after.sends, 16u * 4);
  EXPECT_EQ(after.message_bytes, 4u * 16 * 32);  // half of what a core has, four times
}

TEST(Stages, WhatComesFromFewComesDirectly) {
  Exchange e = gathering();
  std::vector<Block>& needs = e.mapping.layers[1].inputs.front().blocks;
  needs = e.spread(2);
  for (Block& block : needs)
    block.slice[2].end = std::min<int64_t>(16, block.slice[2].end + 1);
  EXPECT_EQ(e.staged().mapping.layers.size(), 2u);
}

// Two orders: what crosses from one to the other has no mirror images.
TEST(Stages, AcrossATurnNothingIsStaged) {
  const Exchange e = gathering();
  EXPECT_EQ(in_stages(e.graph, e.mapping, e.plan, e.orders, 1).mapping.layers.size(), 2u);
}

TEST(Stages, SumsCountEveryRankOnce) {
  Exchange e;
  const Slice all{Range{0, 1}, Range{0, 64}, Range{0, 16}, Range{0, 1}};
  for (uint32_t rank = 0; rank < 16; ++rank) {
    MappedLayer& layer = e.add("down.rank" + std::to_string(rank), LayerKind::Conv);
    layer.outputs = {{false, {16}, {{{e.cores[turned(rank, 16)]}, all}}}};
    e.graph.layers.back().rank = int(rank);
    e.graph.layers.back().ranks = 16;
  }
  MappedLayer& sum = e.add("sum");
  for (int rank = 0; rank < 16; ++rank)
    sum.inputs.push_back({false, rank, e.spread(2)});
  sum.outputs = {{true, {}, e.spread(2)}};
  const Mapping staged = e.staged().mapping;
  ASSERT_EQ(staged.layers.size(), 16u + 8 + 4 + 2 + 1);
  const auto before = e.program(e.mapping).totals();
  const auto after = e.program(staged).totals();
  EXPECT_EQ(before.sends, 16u * 15);
  EXPECT_EQ(after.sends, 16u * 4);
  EXPECT_EQ(after.message_bytes, before.message_bytes);
  // Ranks below each sum, on each core that has it.
  std::map<int, std::map<int, int>> counted;
  for (const MappedLayer& layer : staged.layers) {
    std::map<int, int>& ranks = counted[layer.id];
    if (layer.id < 16)
      ranks[layer.id] = 1;
    for (const InputFeature& input : layer.inputs) {
      for (const auto& [rank, times] : counted[input.source_layer])
        ranks[rank] += times;
    }
  }
  const auto& last = counted[staged.layers.back().id];
  EXPECT_EQ(last.size(), 16u);
  for (const auto& [rank, times] : last)
    EXPECT_EQ(times, 1) << rank;
  EXPECT_EQ(e.over_the_middle(e.mapping), 16u * 8 * 64);
  EXPECT_EQ(e.over_the_middle(staged), 16u * 64);
}

// A whole network: the same products of the same weights, and messages that are fewer.
TEST(Stages, ATransformerDoesTheSameWork) {
  const LayerGraph graph = test::small_transformer(true);
  MapOptions options;
  const auto stages = [](const Mapping& m) {
    return std::ranges::count_if(m.layers, [](const MappedLayer& layer) {
      return layer.name.find(".gather") != std::string::npos;
    });
  };
  options.judge = [&](const Mapping& m) {
    return -double(stages(m));
  };
  const Mapping mapping = map_network(graph, square(4), options, "m");
  EXPECT_GT(stages(mapping), 0);
  int64_t products = 0;
  for (const MappedLayer& layer : mapping.layers) {
    if (layer.weights.front().blocks.empty() || layer.name.find("scores") != std::string::npos ||
        layer.name.find("mix") != std::string::npos)
      continue;
    std::map<std::pair<int, int>, int64_t> rows;
    for (const Block& block : layer.weights.front().blocks) {
      for (const Position p : block.cores)
        rows[{p.x, p.y}] = block.slice[2].size() * block.slice[3].size();
    }
    for (const Block& block : layer.outputs.front().blocks) {
      for (const Position p : block.cores)
        products += volume(block.slice) * rows.at({p.x, p.y});
    }
  }
  EXPECT_EQ(products, test::work(graph).first);
}

}  // namespace
}  // namespace lento::chip

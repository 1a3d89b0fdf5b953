// A network in chunks does the same work with the same weights, a run of channels at a time.
#include "chip/map/lower/chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "chip/map/lower/test_transformer.h"

namespace lento::chip {
namespace {

using test::work;

int64_t channels_of(const Layer& layer) {
  return layer.layout.extents[0];
}

std::vector<std::string> feed_forward(const LayerGraph& graph) {
  std::vector<std::string> out;
  for (const Layer& layer : graph.layers) {
    if (const size_t at = layer.name.find(".mlp."); at != std::string::npos)
      out.push_back(layer.name.substr(at + 5));
  }
  return out;
}

// The first layers (by name) that one output element of `index` rests on, through everything but attention.
std::set<std::string> hidden_channels(const LayerGraph& graph, size_t index, const Box& box) {
  std::set<std::string> out;
  const Layer& layer = graph.layers[index];
  for (const Operand& operand : layer.operands) {
    std::vector<Need> found;
    needs(layer, operand, box, found);
    for (const Need& need : found) {
      if (need.source < 0)
        continue;
      const Layer& source = graph.layers[size_t(need.source)];
      if (source.name.find(".mlp.") == std::string::npos)
        continue;
      out.insert(
          source.name + " " + std::to_string(need.box[0].start) + "-" + std::to_string(need.box[0].end));
      for (const std::string& more : hidden_channels(graph, size_t(need.source), need.box))
        out.insert(more);
    }
  }
  return out;
}

TEST(Chunks, ShortReductionsStayAsTheyAre) {
  const LayerGraph graph = test::small_transformer(true);
  const LayerGraph same = in_chunks(graph, 192);
  ASSERT_EQ(same.layers.size(), graph.layers.size());
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    EXPECT_EQ(same.layers[i].name, graph.layers[i].name);
    EXPECT_EQ(same.layers[i].layout, graph.layers[i].layout);
  }
}

TEST(Chunks, ARunIsMadeUsedAndForgottenBeforeTheNext) {
  EXPECT_THAT(
      feed_forward(in_chunks(test::small_transformer(true), 96)),
      ::testing::ElementsAre(
          "up.0",
          "gate.0",
          "gate.product.0",
          "down.0",
          "up.1",
          "gate.1",
          "gate.product.1",
          "down.1",
          "down.sum1",
          "sum"));
  EXPECT_THAT(
      feed_forward(in_chunks(test::small_transformer(false), 100)),
      ::testing::ElementsAre("up.0", "down.0", "up.1", "down.1", "down.sum1", "sum"));
}

TEST(Chunks, TheWorkAndTheWeightsAreTheSame) {
  for (const bool gated : {false, true}) {
    const LayerGraph graph = test::small_transformer(gated);
    for (const int64_t channels : {20, 64, 96, 191}) {
      const LayerGraph cut = in_chunks(graph, channels);
      EXPECT_EQ(work(cut), work(graph)) << channels;
      EXPECT_GT(cut.layers.size(), graph.layers.size());
    }
  }
}

// Every run reads its own channels, from 0, and all runs together are what the whole row was.
TEST(Chunks, RunsReadTheirOwnChannels) {
  const LayerGraph cut = in_chunks(test::small_transformer(true), 64);
  const auto sum = std::ranges::find_if(cut.layers, [](const Layer& l) {
    return l.name.ends_with("mlp.down.sum2");
  });
  ASSERT_NE(sum, cut.layers.end());
  const Box one{{{5, 6}, {7, 8}, {0, 1}}};
  const auto seen = hidden_channels(cut, size_t(sum - cut.layers.begin()), one);
  for (const std::string run : {"0", "1", "2"}) {
    for (const std::string part : {"up.", "gate.", "gate.product."})
      EXPECT_TRUE(seen.contains("prefill.0.mlp." + part + run + " 0-64")) << part << run;
    EXPECT_TRUE(seen.contains("prefill.0.mlp.down." + run + " 5-6"));
  }
  EXPECT_EQ(channels_of(*sum), 64);
}

// What another layer reads too must stay whole: the sum over attention is read by the norm and the last sum.
TEST(Chunks, WhatOthersReadStaysWhole) {
  const LayerGraph cut = in_chunks(test::small_transformer(false), 32);
  for (const Layer& layer : cut.layers) {
    if (layer.name.ends_with("attention.sum") || layer.name.ends_with("norm2")) {
      EXPECT_EQ(channels_of(layer), 64);
    }
    if (layer.depth > 0 && layer.weights_from_dram && layer.name.find("mlp") != std::string::npos) {
      EXPECT_LE(layer.depth, 32) << layer.name;
    }
  }
}

}  // namespace
}  // namespace lento::chip

// Long reductions shared by a group: the same work and weights, on cores that have their channels already.
#include "chip/map/lower/splits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chip/map/lower/test_transformer.h"

namespace lento::chip {
namespace {

using test::work;

LayerGraph transformer(int64_t experts) {
  return test::small_transformer(true, 2, experts);
}

size_t find(const LayerGraph& graph, const std::string& end) {
  const auto at = std::ranges::find_if(graph.layers, [&](const Layer& l) {
    return l.name.ends_with(end);
  });
  EXPECT_NE(at, graph.layers.end()) << end;
  return size_t(at - graph.layers.begin());
}

TEST(Splits, TheWorkAndTheWeightsAreTheSame) {
  for (const int ranks : {2, 5, 8}) {
    const LayerGraph graph = transformer(1);
    const LayerGraph cut = in_splits(graph, ranks);
    EXPECT_EQ(work(cut), work(graph));
    EXPECT_EQ(cut.layers.size(), graph.layers.size() + size_t(ranks));
  }
}

TEST(Splits, OneRankChangesNothing) {
  EXPECT_EQ(in_splits(transformer(1), 1).layers.size(), transformer(1).layers.size());
}

// Only the last product of the feed-forward layer: keys and values reduce more than they make, too, but their
// rows are gathered for the queries anyway.
TEST(Splits, WhatOthersGatherStaysWhole) {
  for (const Layer& layer : in_splits(transformer(1), 4).layers)
    EXPECT_EQ(layer.ranks > 1, layer.name.find("down.rank") != std::string::npos) << layer.name;
}

// A rank reads the channels that part `rank` of the product before makes, and the sum reads all ranks.
TEST(Splits, ARankReadsItsChannels) {
  const LayerGraph cut = in_splits(transformer(1), 4);
  const size_t first = find(cut, "down.rank0");
  for (int rank = 0; rank < 4; ++rank) {
    const Layer& layer = cut.layers[first + size_t(rank)];
    EXPECT_EQ(layer.rank, rank);
    std::vector<Need> found;
    needs(layer, layer.operands.front(), {{{0, 64}, {3, 5}, {0, 1}}}, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().box[0].start, rank * 48);
    EXPECT_EQ(found.front().box[0].end, rank * 48 + 48);
    EXPECT_EQ(found.front().box[1].start, 3);
  }
  const Layer& sum = cut.layers[find(cut, "down.sum")];
  ASSERT_EQ(sum.operands.size(), 4u);
  for (size_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(sum.operands[rank].value.pieces.front().source, int(first + rank));
}

TEST(Splits, TheNextExpertComesBeforeTheSum) {
  const LayerGraph cut = in_splits(transformer(2), 4);
  const size_t sum = find(cut, "expert0.down.sum");
  EXPECT_GT(sum, find(cut, "expert1.gate.product"));
  EXPECT_LT(sum, find(cut, "expert1.down.rank0"));
  for (size_t i = 0; i < cut.layers.size(); ++i) {
    for (const Operand& operand : cut.layers[i].operands) {
      for (const Piece& p : operand.value.pieces)
        EXPECT_LT(p.source, int(i));
    }
  }
}

}  // namespace
}  // namespace lento::chip

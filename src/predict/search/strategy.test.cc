#include "predict/search/strategy.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lento::predict {
namespace {

class Strategies : public testing::TestWithParam<int> {
 protected:
  CrossFlowConfig base_ = read_crossflow("examples/search/node.yaml");
};

TEST_P(Strategies, EachUsesEveryNodeWithinTheLayers) {
  const int nodes = GetParam();
  const auto all = all_strategies(base_, nodes, 4);
  EXPECT_FALSE(all.empty());
  for (const Strategy& s : all) {
    const Parallelism& p = s.parallelism;
    EXPECT_EQ(p.dp * p.layer_ways * p.kernel_rows * p.kernel_columns, nodes) << to_string(s);
    EXPECT_LE(p.layer_ways, base_.model.layers) << to_string(s);
    EXPECT_EQ(p.split == Split::None, p.kernel_rows * p.kernel_columns == 1) << to_string(s);
    if (p.split == Split::ColumnRow) {
      EXPECT_EQ(p.kernel_columns, 1) << to_string(s);
    }
  }
}

TEST_P(Strategies, NoTwoAreTheSame) {
  std::set<std::string> seen;
  for (const Strategy& s : all_strategies(base_, GetParam(), 4))
    EXPECT_TRUE(seen.insert(to_string(s)).second) << to_string(s);
}

TEST_P(Strategies, DataParallelismAloneIsOneOfThem) {
  const int nodes = GetParam();
  const Strategy alone = data_parallel(nodes, 4);
  EXPECT_EQ(alone.parallelism.dp, nodes);
  EXPECT_EQ(
      alone.parallelism.layer_ways * alone.parallelism.kernel_rows * alone.parallelism.kernel_columns,
      1);
  bool found = false;
  for (const Strategy& s : all_strategies(base_, nodes, 4))
    found = found || s.parallelism.dp == nodes;
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Nodes, Strategies, testing::Values(1, 2, 16, 64));

TEST(WithStrategy, PutsEverythingIntoTheDesign) {
  CrossFlowConfig base = read_crossflow("examples/search/node.yaml");
  for (const Strategy& s : all_strategies(base, 16, 2)) {
    const CrossFlowConfig c = with_strategy(base, s, 2);
    EXPECT_EQ(c.parallelism.dp, s.parallelism.dp);
    EXPECT_EQ(c.parallelism.kernel_rows, s.parallelism.kernel_rows);
    EXPECT_EQ(c.parallelism.kernel_columns, s.parallelism.kernel_columns);
    EXPECT_EQ(c.parallelism.layer_ways, s.parallelism.layer_ways);
    EXPECT_EQ(c.crosses, s.derate.crosses);
    EXPECT_EQ(c.inter_derate, s.derate.inter);
    EXPECT_EQ(c.intra_derate, s.derate.intra);
  }
}

TEST(Placement, WithinOnePackageNothingCrosses) {
  for (const ParallelShape& shape :
       {ParallelShape{4, 1, 1, 1}, ParallelShape{2, 2, 4, 1}, ParallelShape{1, 1, 16, 1}}) {
    for (const DimensionOrder& order : distinct_orders(shape)) {
      const PlacementResult placed = place(shape, order, 4);
      if (!placed.fits)
        continue;
      EXPECT_EQ(placed.derate.inter, 0);
      for (const bool crosses : placed.derate.crosses)
        EXPECT_FALSE(crosses);
    }
  }
}

TEST(Placement, OfOneWorkerAPackageEverythingCrosses) {
  const ParallelShape shape{1, 1, 8, 1};
  const PlacementResult placed = place(shape, distinct_orders(shape)[0], 1);
  ASSERT_TRUE(placed.fits);
  EXPECT_TRUE(placed.derate.crosses[2]);
  EXPECT_EQ(placed.derate.intra, 0);
  EXPECT_GE(placed.derate.inter, 1);
}

}  // namespace
}  // namespace lento::predict

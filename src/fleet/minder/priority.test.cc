// The tree that orders metrics, on samples whose best splits can be seen.
#include "fleet/minder/priority.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::fleet {
namespace {

// `n` samples, the second half faulty; z[k] = columns[k](i).
template <class... Columns>
std::vector<PrioritySample> samples(size_t n, Columns... columns) {
  std::vector<PrioritySample> out;
  for (size_t i = 0; i < n; ++i)
    out.push_back({{float(columns(i))...}, i >= n / 2, i});
  return out;
}

double rising(size_t i) {
  return double(i);
}
double flat(size_t) {
  return 7;
}

TEST(PriorityTree, APerfectSplitTakesAllImpurity) {
  const auto order = prioritise(samples(20, flat, rising), {7, 5});
  ASSERT_EQ(order.size(), 1u);
  EXPECT_EQ(order[0].metric, 1u);
  EXPECT_EQ(order[0].level, 0u);
  EXPECT_DOUBLE_EQ(order[0].gain, 0.5);  // Gini of one half
  EXPECT_DOUBLE_EQ(order[0].threshold, 9.5);
}

TEST(PriorityTree, LeavesHoldTheLeastNumber) {
  // The one faulty sample cannot be cut off alone: five of eight, and five at least on each side need ten.
  EXPECT_TRUE(prioritise(samples(8, rising), {7, 5}).empty());
  EXPECT_EQ(prioritise(samples(10, rising), {7, 5}).size(), 1u);
  auto odd = samples(12, rising);
  for (size_t i = 0; i < 12; ++i)
    odd[i].faulty = i >= 10;
  const auto order = prioritise(odd, {7, 5});
  ASSERT_EQ(order.size(), 1u);
  EXPECT_DOUBLE_EQ(order[0].threshold, 6.5);  // the nearest to 9.5 that leaves five
}

TEST(PriorityTree, EndsAtItsDepth) {
  // Faulty in the middle: two cuts of one metric.
  auto middle = samples(40, rising);
  for (size_t i = 0; i < 40; ++i)
    middle[i].faulty = i >= 10 && i < 20;
  EXPECT_TRUE(prioritise(middle, {0, 5}).empty());
  const double one = prioritise(middle, {1, 5}).at(0).gain;
  const double two = prioritise(middle, {2, 5}).at(0).gain;
  EXPECT_GT(two, one);
  EXPECT_DOUBLE_EQ(two, 2 * 0.25 * 0.75);
}

TEST(PriorityTree, OfEqualGainsTheClearerMarginWins) {
  const auto near = [](size_t i) {
    return i < 10 ? 1.0 : 1.1;
  };
  const auto wide = [](size_t i) {
    return i < 10 ? 1.0 : 9.0;
  };
  EXPECT_EQ(prioritise(samples(20, near, wide)).at(0).metric, 1u);
  EXPECT_EQ(prioritise(samples(20, wide, near)).at(0).metric, 0u);
}

TEST(PriorityTree, OneKindTellsNothing) {
  auto all = samples(20, rising);
  for (PrioritySample& s : all)
    s.faulty = true;
  EXPECT_TRUE(prioritise(all).empty());
  EXPECT_TRUE(prioritise({}).empty());
}

TEST(PriorityTree, TheOrderOfSamplesMeansNothing) {
  base::Rng rng(4, "priority.order");
  std::vector<PrioritySample> some;
  for (int i = 0; i < 300; ++i) {
    PrioritySample s;
    s.faulty = rng.below(3) == 0;
    for (int k = 0; k < 4; ++k)
      s.z.push_back(float(rng.normal(s.faulty ? k : 0, 1)));
    some.push_back(s);
  }
  const auto before = prioritise(some);
  std::ranges::reverse(some);
  const auto after = prioritise(some);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].metric, after[i].metric);
    EXPECT_NEAR(before[i].gain, after[i].gain, 1e-9);
  }
}

TEST(PriorityStable, WhatHoldsLessThanItsShareIsLeftOut) {
  base::Rng rng(4, "priority.stable");
  std::vector<PrioritySample> some;
  for (size_t i = 0; i < 600; ++i) {
    PrioritySample s;
    s.faulty = i % 3 == 0;
    s.group = i / 20;
    s.z = {float(rng.normal(s.faulty ? 5 : 0, 1)), float(rng.normal(0, 1))};
    some.push_back(s);
  }
  StableOptions strict;
  strict.share = 0.3;
  ASSERT_EQ(prioritise_stable(some, strict).size(), 1u);
  EXPECT_EQ(prioritise_stable(some, strict)[0].metric, 0u);
  StableOptions none;
  none.share = 1.1;
  EXPECT_TRUE(prioritise_stable(some, none).empty());
  StableOptions idle;
  idle.rounds = 0;
  EXPECT_TRUE(prioritise_stable(some, idle).empty());
}

// Both halves of the first cut are cut again: of one depth the larger gain stands first, wherever it lies.
TEST(PriorityTree, OfOneDepthTheLargerGainStandsFirst) {
  std::vector<PrioritySample> some;
  for (size_t i = 0; i < 80; ++i) {
    PrioritySample s;
    const bool right = i >= 40;
    s.faulty = right ? i < 65 : i < 5;
    s.z = {right ? 1.0F : 0.0F, s.faulty && !right ? 9.0F : 1.0F, s.faulty || !right ? 9.0F : 1.0F};
    some.push_back(s);
  }
  const auto order = prioritise(some, {2, 5});
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0].metric, 0u);
  EXPECT_EQ(order[1].metric, 2u);
  EXPECT_EQ(order[2].metric, 1u);
  EXPECT_EQ(order[1].level, 1u);
  EXPECT_EQ(order[2].level, 1u);
  EXPECT_NEAR(order[1].gain / order[2].gain, 25.0 * 15 / (5 * 35), 1e-9);
}

}  // namespace
}  // namespace lento::fleet

#include "lab/block/core_memory.h"

#include <gtest/gtest.h>

#include <list>
#include <map>

#include "base/rng.h"
#include "lab/block/branch_predictor.h"

namespace lento::tile {
namespace {

TEST(TagArray, ReplacesTheLeastRecentlyUsed) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "tags");
    const uint32_t sets = 1u << rng.below(3);
    const auto ways = uint32_t(1 + rng.below(4));
    TagArray tags(sets, ways);
    std::map<uint32_t, std::list<uint32_t>> model;
    for (int i = 0; i < 2000; ++i) {
      const auto line = uint32_t(rng.below(3 * sets * ways));
      std::list<uint32_t>& set = model[line % sets];
      const auto at = std::ranges::find(set, line);
      const bool here = at != set.end();
      ASSERT_EQ(tags.touch(line), here) << seed << " " << i;
      if (here)
        set.erase(at);
      set.push_front(line);
      if (set.size() > ways)
        set.pop_back();
    }
  }
}

CoreMemoryShape shape() {
  CoreMemoryShape s;
  s.tlb_entries = 64;
  return s;
}

// The page of what follows is known, so that only the caches count.
CoreMemory warm() {
  CoreMemory memory(shape());
  memory.access(0xfc0, 0);
  memory.fetch(0xfc0, 0);
  return memory;
}

TEST(CoreMemory, AMissGoesToDramThenToTheFirstLevel) {
  CoreMemory memory = warm();
  const auto miss = memory.access(0x100, 1000);
  EXPECT_EQ(miss.ready, 1000u + 120);
  EXPECT_TRUE(miss.l1_miss);
  EXPECT_TRUE(miss.l2_miss);
  EXPECT_FALSE(miss.tlb_miss);
  const auto hit = memory.access(0x13f, 2000);
  EXPECT_EQ(hit.ready, 2000u + 3);
  EXPECT_FALSE(hit.l1_miss);
  EXPECT_TRUE(memory.access(0x140, 3000).l1_miss) << "the next line";
}

TEST(CoreMemory, ALineUnderWayIsWaitedForOnce) {
  CoreMemory memory = warm();
  const uint64_t ready = memory.access(0x100, 1000).ready;
  for (const uint64_t now : {1001, 1050, 1119}) {
    const auto second = memory.access(0x104, now);
    EXPECT_EQ(second.ready, ready);
    EXPECT_TRUE(second.l1_miss);
    EXPECT_FALSE(second.l2_miss);
  }
  EXPECT_EQ(memory.access(0x104, ready).ready, ready + 3);
}

TEST(CoreMemory, AnUnknownPageIsWalkedFirst) {
  CoreMemory memory(shape());
  const auto first = memory.access(0x5000, 0);
  EXPECT_TRUE(first.tlb_miss);
  EXPECT_EQ(first.ready, 20u + 120);
  EXPECT_FALSE(memory.access(0x5ffc, 1000).tlb_miss);
  EXPECT_TRUE(memory.access(0x6000, 1000).tlb_miss);
}

TEST(CoreMemory, WhatLeftTheFirstLevelIsInTheSecond) {
  CoreMemory memory(shape());
  const uint32_t stride = 64 * (32 << 10) / 64 / 8;  // lines of one set
  uint64_t now = 0;
  for (uint32_t i = 0; i <= 8; ++i)
    memory.access(i * stride, now += 1000);
  const auto back = memory.access(0, now += 1000);
  EXPECT_TRUE(back.l1_miss);
  EXPECT_FALSE(back.l2_miss);
  EXPECT_EQ(back.ready, now + 15);
  EXPECT_FALSE(memory.access(8 * stride, now += 1000).l1_miss);
}

TEST(CoreMemory, OnlySoManyMissesFlyAtOnce) {
  CoreMemoryShape s = shape();
  s.misses = 2;
  CoreMemory memory(s);
  memory.access(0xfc0, 0);
  const uint64_t first = memory.access(0x000, 1000).ready;
  const uint64_t second = memory.access(0x040, 1000).ready;
  const uint64_t third = memory.access(0x080, 1000).ready;
  EXPECT_EQ(first, 1120u);
  EXPECT_EQ(second, 1120u);
  EXPECT_EQ(third, 1240u);
}

TEST(CoreMemory, CodeAndDataHaveTheirOwnFirstLevel) {
  CoreMemory memory = warm();
  EXPECT_TRUE(memory.fetch(0x100, 0).l1_miss);
  EXPECT_FALSE(memory.fetch(0x100, 500).l1_miss);
  EXPECT_EQ(memory.fetch(0x100, 500).ready, 500u);
  const auto data = memory.access(0x100, 1000);
  EXPECT_TRUE(data.l1_miss);
  EXPECT_FALSE(data.l2_miss);
  EXPECT_EQ(data.ready, 1015u);
}

TEST(BranchPredictor, LearnsWhatIsAlwaysSo) {
  for (const bool taken : {false, true}) {
    BranchPredictor predictor;
    int wrong = 0;
    for (int i = 0; i < 100; ++i)
      wrong += !predictor.conditional(0x1000, taken) && i >= 40;
    EXPECT_EQ(wrong, 0) << taken;
  }
}

TEST(BranchPredictor, LearnsAShortPattern) {
  BranchPredictor predictor;
  int wrong = 0;
  for (int i = 0; i < 2000; ++i)
    wrong += !predictor.conditional(0x1000, i % 4 == 0) && i >= 1000;
  EXPECT_EQ(wrong, 0);
}

TEST(BranchPredictor, CannotForetellAFairCoin) {
  BranchPredictor predictor;
  base::Rng rng(1, "coin");
  int right = 0;
  for (int i = 0; i < 20000; ++i)
    right += predictor.conditional(0x1000, rng.below(2) == 0);
  EXPECT_NEAR(right, 10000, 400);
}

TEST(BranchPredictor, AnIndirectJumpGoesWhereItWentLast) {
  BranchPredictor predictor;
  EXPECT_FALSE(predictor.indirect(0x1000, 0x2000));
  EXPECT_TRUE(predictor.indirect(0x1000, 0x2000));
  EXPECT_FALSE(predictor.indirect(0x1000, 0x3000));
  EXPECT_TRUE(predictor.indirect(0x1000, 0x3000));
  EXPECT_FALSE(predictor.indirect(0x1004, 0x3000)) << "another jump";
}

TEST(BranchPredictor, ReturnsMatchTheirCallsSixteenDeep) {
  BranchPredictor predictor;
  for (uint32_t depth = 1; depth <= 16; ++depth)
    predictor.call(depth * 4);
  for (uint32_t depth = 16; depth >= 1; --depth)
    EXPECT_TRUE(predictor.is_return_to(depth * 4)) << depth;
  for (uint32_t depth = 1; depth <= 17; ++depth)
    predictor.call(depth * 4);
  for (uint32_t depth = 17; depth >= 2; --depth)
    EXPECT_TRUE(predictor.is_return_to(depth * 4)) << depth;
  EXPECT_FALSE(predictor.is_return_to(4)) << "the oldest was overwritten";
}

}  // namespace
}  // namespace lento::tile

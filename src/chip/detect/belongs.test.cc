#include "chip/detect/belongs.h"

#include <gtest/gtest.h>

#include "chip/detect/path.h"
#include "chip/map/binary_tree.h"

namespace lento::chip {
namespace {

// A run without time: every record that the program plans, `inferences` times over, every `keep`-th kept,
// but those of core `silent`.
Sketch run_of(
    const Program& program,
    const spec::Chip& chip,
    uint32_t inferences,
    int keep = 1,
    size_t silent = SIZE_MAX) {
  SketchOptions options;
  Sketch sketch(plan_shapes(count_patterns(program, chip), options), options);
  int number = 0;
  for_each_record(program, Grid(chip), [&](size_t core, ProbeRecord record, uint64_t times) {
    if (core == silent)
      return;
    record.end = record.begin + 100;
    for (record.inference = 0; record.inference < inferences; ++record.inference)
      for (uint64_t i = 0; i < times; ++i)
        if (number++ % keep == 0)
          sketch.record(record);
  });
  return sketch;
}

Program tree(int depth, int size, const spec::Chip& chip) {
  return expand(
      map_binary_tree(
          {
              .depth = depth,
              .size = size,
              .passes = 8,
          },
          chip),
      chip,
      "tree");
}

TEST(Belongs, WhatAMappingPlansIsItsOwn) {
  const spec::Chip chip;
  for (const int size : {64, 96, 512}) {
    const Program program = tree(4, size, chip);
    for (const uint32_t inferences : {1, 3}) {
      const Belonging seen = belonging_of(run_of(program, chip, inferences), program, chip);
      EXPECT_GT(seen.entries, 30);
      EXPECT_GE(seen.patterns, size_t(seen.entries));
      EXPECT_EQ(seen.strange, 0) << seen.examples.front();
    }
  }
}

TEST(Belongs, LostRecordsAreNoOtherMapping) {
  const spec::Chip chip;
  const Program program = tree(4, 64, chip);
  EXPECT_EQ(belonging_of(run_of(program, chip, 4, 3), program, chip).strange, 0);
}

TEST(Belongs, ATenthLostIsNoGapAndAHalfIs) {
  const spec::Chip chip;
  const Program program = tree(4, 64, chip);
  const Sketch whole = run_of(program, chip, 4);
  EXPECT_DOUBLE_EQ(belonging_of(whole, program, chip).share(), 1);
  EXPECT_EQ(belonging_of(whole, program, chip).gap(), "");
  const Belonging half = belonging_of(run_of(program, chip, 4, 2), program, chip);
  EXPECT_NEAR(half.share(), 0.5, 0.01);
  EXPECT_NE(half.gap().find(" of the " + std::to_string(half.planned) + " records"), std::string::npos);
}

TEST(Belongs, ACoreWithoutRecordsIsNamed) {
  const spec::Chip chip;
  const Program program = tree(4, 64, chip);
  const Belonging seen = belonging_of(run_of(program, chip, 2, 1, 5), program, chip);
  EXPECT_EQ(seen.unseen, std::vector<size_t>{5});
  EXPECT_NE(seen.gap().find("cores 5"), std::string::npos);
}

TEST(Belongs, RecordsOfAnotherSizeOrDepthAreStrange) {
  const spec::Chip chip;
  const Program program = tree(4, 64, chip);
  for (const auto& [depth, size] : {std::pair(4, 72), std::pair(3, 64), std::pair(4, 512)}) {
    const Belonging seen = belonging_of(run_of(tree(depth, size, chip), chip, 2), program, chip);
    EXPECT_FALSE(seen.belongs()) << depth << " " << size;
    EXPECT_FALSE(seen.examples.empty());
  }
}

TEST(Belongs, MoreRecordsThanPlannedAreStrange) {
  const spec::Chip chip;
  const Program once = tree(4, 64, chip);
  const Program twice = expand(
      map_binary_tree(
          {
              .depth = 4,
              .size = 64,
              .passes = 16,
          },
          chip),
      chip,
      "tree");
  EXPECT_FALSE(belonging_of(run_of(twice, chip, 2), once, chip).belongs());
}

}  // namespace
}  // namespace lento::chip

// Lines and blocks summed by what they hold.
#include "memory/mine/objects.h"

#include <gmock/gmock.h>

#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using ::testing::IsEmpty;

Line line(uint64_t address, uint64_t excess, Cause cause = Cause::FalseSharing, uint16_t process = 0) {
  Line l;
  l.address = address;
  l.process = process;
  l.cause = cause;
  l.excess = excess;
  l.accesses = 10;
  Use use;
  use.excess = excess;
  l.uses = {use};
  return l;
}

class SharedObjects : public ::testing::Test {
 protected:
  std::vector<Object> of(const std::vector<Line>& lines) {
    lines_ = lines;
    return shared_objects(lines_, naming_.names);
  }
  void name(uint64_t low, uint64_t high, const std::string& text, const std::string& site = "") {
    naming_.space.add_data({0, low, high, text, site});
  }
  test::Naming naming_;
  std::vector<Line> lines_;
};

TEST_F(SharedObjects, AVariableIsOneHoweverManyLines) {
  name(0x4000, 0x5000, "counters");
  name(0x5000, 0x6000, "total");
  const auto objects = of({line(0x4000, 10), line(0x4fc0, 30), line(0x5000, 35)});
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].name, "counters");
  EXPECT_EQ(objects[0].cycles, 40u);
  EXPECT_EQ(objects[0].accesses, 20u);
  EXPECT_EQ(objects[0].low, 0x4000u);
  EXPECT_EQ(objects[0].high, 0x4fc0u);
  ASSERT_EQ(objects[0].lines.size(), 2u);
  EXPECT_EQ(objects[0].lines[0]->excess, 30u);  // costliest first
  EXPECT_EQ(objects[1].name, "total");
}

TEST_F(SharedObjects, CausesOfOneVariableAreKeptApart) {
  name(0x4000, 0x5000, "counters");
  const auto objects = of({line(0x4000, 10), line(0x4040, 5, Cause::Lock)});
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].cause, Cause::FalseSharing);
  EXPECT_EQ(objects[1].cause, Cause::Lock);
}

TEST_F(SharedObjects, HeapBlocksOfOneSiteAreOne) {
  name(0x4000, 0x4040, "block of 64 bytes", "pool.c:12");
  name(0x8000, 0x8040, "block of 64 bytes", "pool.c:12");
  name(0x9000, 0x9040, "block of 64 bytes", "list.c:3");
  const auto objects = of({line(0x4000, 10), line(0x8000, 10), line(0x9000, 5)});
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].name, "block of 64 bytes from pool.c:12");
  EXPECT_EQ(objects[0].cycles, 20u);
  EXPECT_EQ(objects[1].name, "block of 64 bytes from list.c:3");
}

// Two variables of one name, in two files, are two.
TEST_F(SharedObjects, EqualNamesAtTwoPlacesAreTwo) {
  name(0x4000, 0x4040, "lock");
  name(0x8000, 0x8040, "lock");
  EXPECT_EQ(of({line(0x4000, 10), line(0x8000, 10)}).size(), 2u);
}

// The line holds two variables; it is the one whose bytes cost most.
TEST_F(SharedObjects, ALineBelongsToItsCostliestBytes) {
  name(0x4000, 0x4020, "first");
  name(0x4020, 0x4040, "second");
  Line l = line(0x4000, 50);
  l.uses[0].excess = 10;
  Use use;
  use.offset = 0x24;
  use.excess = 40;
  l.uses.push_back(use);
  const auto objects = of({l});
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].name, "second");
}

TEST_F(SharedObjects, NamelessLinesAreARegionUpToAGap) {
  const uint64_t gap = tuning::kRegionGap;
  EXPECT_EQ(of({line(0x4000, 10), line(0x4000 + gap, 10)}).size(), 1u);
  EXPECT_EQ(of({line(0x4000, 10), line(0x4001 + gap, 10)}).size(), 2u);
  // Chained: each is near the one before.
  EXPECT_EQ(of({line(0x4000 + 2 * gap, 10), line(0x4000, 10), line(0x4000 + gap, 10)}).size(), 1u);
  EXPECT_EQ(of({line(0x4000, 10), line(0x4000, 10, Cause::FalseSharing, 2)}).size(), 2u);
  EXPECT_EQ(of({line(0x4000, 10), line(0x4000, 10, Cause::Lock)}).size(), 2u);
}

TEST_F(SharedObjects, LinesWithoutCauseOrCostAreNone) {
  EXPECT_THAT(of({line(0x4000, 0), line(0x5000, 10, Cause::None)}), IsEmpty());
}

TEST_F(SharedObjects, SumWhatTheirLinesTell) {
  Line a = line(0x4000, 10);
  a.high = 1;
  a.slow = 2;
  a.peers = 3;
  a.remote_peers = 4;
  a.atomics = 5;
  a.overlap = 0.5;
  a.conflicts = 100;
  a.cpus.add(1);
  Line b = line(0x4040, 20);
  b.high = 10;
  b.slow = 20;
  b.peers = 30;
  b.remote_peers = 40;
  b.atomics = 50;
  b.overlap = 0;
  b.conflicts = 300;
  b.cpus.add(2);
  const auto objects = of({a, b});
  ASSERT_EQ(objects.size(), 1u);
  const Object& o = objects[0];
  EXPECT_EQ(o.high_accesses, 11u);
  EXPECT_EQ(o.slow_accesses, 22u);
  EXPECT_EQ(o.peers, 33u);
  EXPECT_EQ(o.remote_peers, 44u);
  EXPECT_EQ(o.atomics, 55u);
  EXPECT_EQ(o.cpus.text(), "1-2");
  EXPECT_DOUBLE_EQ(o.overlap(), 50.0 / 400);
  EXPECT_EQ(Object{}.overlap(), 0);
}

TEST_F(SharedObjects, EqualCostsAreInOrderOfProcessAndAddress) {
  const auto objects = of(
      {line(0x9000, 10, Cause::Lock, 1), line(0x5000, 10, Cause::Lock, 2), line(0x4000, 10, Cause::Lock, 1)});
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0].low, 0x4000u);
  EXPECT_EQ(objects[1].low, 0x9000u);
  EXPECT_EQ(objects[2].process, 2u);
}

class BlockObjects : public ::testing::Test {
 protected:
  void block(uint64_t address, uint64_t cycles, uint64_t misses = 1, uint16_t process = 0) {
    BlockCost& b = scan_.blocks[{address / tuning::kBlockBytes, process}];
    b.cycles[size_t(Loss::Miss)] = cycles;
    b.misses = misses;
    b.accesses = 2 * misses;
    b.address = address;
    b.cpus = 1;
  }
  std::vector<Object> of(Loss loss = Loss::Miss, const std::vector<BlockKey>& taken = {}) {
    return block_objects(scan_, loss, naming_.names, taken);
  }
  Scan scan_;
  test::Naming naming_;
};

TEST_F(BlockObjects, SumOneLossOnly) {
  block(0x4000, 10);
  block(0x4080, 20, 3);
  scan_.blocks[{0x4000 / 128, 0}].cycles[size_t(Loss::Bank)] = 7;
  const auto misses = of();
  ASSERT_EQ(misses.size(), 1u);
  EXPECT_EQ(misses[0].cycles, 30u);
  EXPECT_EQ(misses[0].misses, 4u);
  EXPECT_EQ(misses[0].accesses, 8u);
  EXPECT_EQ(misses[0].fetched_lines, 2u);
  EXPECT_EQ(misses[0].low, 0x4000u);
  EXPECT_EQ(misses[0].high, 0x4080u);
  EXPECT_EQ(of(Loss::Bank)[0].cycles, 7u);
  EXPECT_THAT(of(Loss::Queue), IsEmpty());
}

TEST_F(BlockObjects, WhatIsTakenIsLeftOut) {
  block(0x4000, 10);
  block(0x8000, 20);
  const auto rest = of(Loss::Miss, {{0x8000 / 128, 0}});
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].cycles, 10u);
  EXPECT_THAT(of(Loss::Miss, {{0x4000 / 128, 0}, {0x8000 / 128, 0}}), IsEmpty());
}

TEST_F(BlockObjects, NamelessOnesReachSixteenMebibytes) {
  constexpr uint64_t kGap = uint64_t{16} << 20;
  block(0x4000, 10);
  block(0x4000 + kGap, 10);
  EXPECT_EQ(of().size(), 1u);
  scan_.blocks.clear();
  block(0x4000, 10);
  block(0x4000 + kGap + 128, 10);
  EXPECT_EQ(of().size(), 2u);
  scan_.blocks.clear();
  block(0x4000, 10);
  block(0x4080, 10, 1, 3);
  EXPECT_EQ(of().size(), 2u);  // of two processes
}

TEST_F(BlockObjects, AreNamedByVariableOrSite) {
  naming_.space.add_data({0, 0x4000, 0x5000, "grid", ""});
  naming_.space.add_data({0, 0x8000, 0x9000, "block", "main.c:4"});
  naming_.space.add_data({0, 0xa000, 0xb000, "block", "main.c:4"});
  block(0x4000, 10);
  block(0x8000, 3);
  block(0xa000, 3);
  block(0xc000, 1);
  const auto objects = of();
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0].name, "grid");
  EXPECT_EQ(objects[1].name, "block from main.c:4");
  EXPECT_EQ(objects[1].cycles, 6u);
  EXPECT_EQ(objects[2].name, "");
}

TEST_F(BlockObjects, StrideIsTheLargestPowerOfTwoOfNearlyAllMisses) {
  for (uint64_t i = 0; i < 20; ++i)
    block(0x100040 + 4096 * i, 10, 5);
  ASSERT_EQ(of().size(), 1u);
  EXPECT_EQ(of()[0].stride, 4096u);
  EXPECT_EQ(of()[0].residue, 0x40u);
  // A tenth elsewhere is still a stride; more is not. Odd distances fall on both halves of any stride.
  block(0x100080, 10, 11);
  EXPECT_EQ(of()[0].stride, 4096u);
  block(0x100080, 10, 12);
  EXPECT_EQ(of()[0].stride, 64u);
}

TEST_F(BlockObjects, AWalkOverAllLinesHasNoStrideBeyondItsLines) {
  for (uint64_t i = 0; i < 64; ++i)
    block(0x100000 + 128 * i, 10);
  EXPECT_EQ(of()[0].stride, 128u);
}

TEST_F(BlockObjects, MakersAreTheMostCpusThatMissedOneBlock) {
  block(0x4000, 10);
  block(0x4080, 10);
  scan_.blocks[{0x4000 / 128, 0}].cpus = 0b1011;
  scan_.blocks[{0x4080 / 128, 0}].cpus = 0b0100;
  EXPECT_EQ(of()[0].makers, 3u);
}

}  // namespace
}  // namespace lento::memory

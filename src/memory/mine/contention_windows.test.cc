// The second pass: the threshold, what a window holds, hot blocks byte by byte, base rates.
#include <gmock/gmock.h>

#include "memory/mine/contention_scan.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::answered;
using test::delayed;
using test::hit;
using test::miss;
using test::open_of;
using test::Passes;
using test::Trace;

// Counted in a table that grows: no instruction is lost, none counted twice in a window.
TEST(PcWindows, HoldAnyNumberOfInstructions) {
  ContentionOptions options;
  options.threshold = 5;
  options.window = 10;
  Trace trace;
  constexpr uint64_t kInstructions = 6000;
  for (uint64_t w = 0; w < 3; ++w) {
    for (uint64_t i = 0; i < kInstructions; ++i) {
      trace.push_back(miss(1000 * w, 0, 0x4000, 50));
      trace.back().pc = 0x10000 + 4 * i;
    }
  }
  const Passes p(trace, options);
  ASSERT_EQ(p.windows.window_count, 3u);
  ASSERT_EQ(p.windows.pc_windows.size(), kInstructions);
  for (const auto& [pc, windows] : p.windows.pc_windows)
    EXPECT_EQ(windows, 3u) << pc;
}

// The objects of one slice share its time, and each has its own accesses.
TEST(SlicedWindows, CoverEachSliceOnce) {
  Trace trace;
  for (uint64_t slice = 0; slice < 4; ++slice) {
    for (uint64_t object = 0; object < 3; ++object) {
      trace.push_back(answered(1000 * slice, 0, 0x4000 + 0x100 * object, Service::LocalMemory, 200));
      trace.push_back(answered(1000 * slice + 1, 1, 0x4000 + 0x100 * object, Service::LocalMemory, 100));
    }
  }
  test::sort(trace);
  ContentionOptions options;
  options.slice = 1000;
  options.threshold = 150;
  const Passes p(trace, options);
  EXPECT_TRUE(p.windows.sliced);
  EXPECT_EQ(p.windows.window_count, 12u);
  EXPECT_EQ(p.windows.covered_cycles, 4000u);
  EXPECT_EQ(p.windows.covered_events, 24u);
}

Trace misses(const std::vector<uint32_t>& latencies) {
  Trace trace;
  for (size_t i = 0; i < latencies.size(); ++i)
    trace.push_back(miss(1000 * i, uint16_t(i % 2), 0x4000, latencies[i]));
  return trace;
}

TEST(Threshold, IsTheThirdQuartileOfWhatIsNoHit) {
  Trace trace = misses({10, 20, 30, 40});
  for (uint64_t c = 0; c < 50; ++c)
    trace.push_back(hit(5000 + c, 0, 0x8000));
  EXPECT_EQ(Passes(trace).windows.threshold, 30);
  ContentionOptions options;
  options.rule = QuantileRule::Linear;
  EXPECT_EQ(Passes(trace, options).windows.threshold, 32.5);
  options.threshold = 17;
  EXPECT_EQ(Passes(trace, options).windows.threshold, 17);
}

TEST(Threshold, IsNeverTheLeastLatency) {
  EXPECT_EQ(Passes(misses({10, 10, 10, 10, 25})).windows.threshold, 25);
  // All alike and nobody to blame: none is high.
  const Passes alike(misses({10, 10, 10, 10}));
  EXPECT_EQ(alike.windows.threshold, 11);
  EXPECT_EQ(alike.windows.high_events, 0u);
  EXPECT_EQ(alike.windows.window_count, 0u);
  // All alike, but charged to somebody: all are high.
  Trace charged;
  for (uint64_t i = 0; i < 4; ++i)
    charged.push_back(delayed(1000 * i, uint16_t(i % 2), 0x4000, 10, 9, uint16_t(1 - i % 2)));
  EXPECT_EQ(Passes(charged).windows.high_events, 4u);
}

TEST(WindowFactsOf, HoldWhoWaitsWhereAndForWhom) {
  Trace trace = {
      hit(1000, 3, 0x9000),
      miss(1010, 1, 0x4000, 12),
      delayed(1020, 0, 0x4004, 90, 80, 1),
      delayed(1030, 0, 0x4004, 30, 20, 1)};
  trace[2].pc = 0x1010;
  trace[3].pc = 0x1080;
  ContentionOptions options;
  options.threshold = 50;
  const Passes p(trace, options);
  ASSERT_EQ(p.windows.windows.size(), 1u);
  const WindowFacts& w = p.windows.windows[0];
  EXPECT_EQ(w.seed, 1020u);
  EXPECT_EQ(w.excess, 100u);
  EXPECT_EQ(w.cpus.text(), "0-1");  // not the CPU that only hit
  ASSERT_EQ(w.ranges.size(), 1u);   // all in one page of code
  EXPECT_EQ(w.ranges[0].low, 0x1000u);
  EXPECT_EQ(w.ranges[0].high, 0x1080u);
  ASSERT_EQ(w.blame.size(), 1u);
  EXPECT_EQ(w.blame[0].cycles, 100u);
  EXPECT_EQ(w.runs.size(), 1u);
  // The function, the bin of the high latency, the hot line.
  EXPECT_EQ(w.items.size(), 3u);
  EXPECT_EQ(p.windows.covered_events, 4u);
  EXPECT_EQ(p.windows.covered_cycles, 201u);
  EXPECT_EQ(p.windows.pc_windows.at(0x1000), 1u);
}

// The paper's items: function, kind of access and latency, each alone and with its CPU.
TEST(WindowFactsOf, InPaperModeHoldSixItemsAnAccess) {
  using Kind = Items::Kind;
  ContentionOptions options;
  options.paper = true;
  options.threshold = 50;
  const Passes p({delayed(1020, 3, 0x4004, 90, 80, 1)}, options);
  ASSERT_EQ(p.windows.windows.size(), 1u);
  std::vector<Kind> kinds;
  for (const uint32_t id : p.windows.windows[0].items)
    kinds.push_back(p.windows.items.item(id).kind);
  EXPECT_THAT(
      kinds,
      testing::UnorderedElementsAre(
          Kind::Function,
          Kind::CpuFunction,
          Kind::Type,
          Kind::CpuType,
          Kind::Latency,
          Kind::CpuLatency));
  for (const uint32_t id : p.windows.windows[0].items) {
    const Items::Item& item = p.windows.items.item(id);
    if (item.kind == Kind::CpuLatency) {
      EXPECT_EQ(item.cpu, 3u);
      EXPECT_EQ(item.value, 90u / options.bins);
    }
  }
}

TEST(Controls, AreOneInEachStratumOfTheRun) {
  Trace trace;
  for (uint64_t c = 0; c < 100000; c += 10)
    trace.push_back(c % 1000 == 0 ? miss(c, 0, 0x4000, 50 + uint32_t(c % 7)) : hit(c, 1, 0x8000));
  ContentionOptions options;
  options.window = 200;
  const Passes p(trace, options);
  ASSERT_EQ(p.windows.controls.size(), 99991u / 200);
  for (size_t k = 0; k < p.windows.controls.size(); ++k) {
    const double width = 99991.0 / double(p.windows.controls.size());
    EXPECT_GE(double(p.windows.controls[k].seed), std::floor(width * double(k)));
    EXPECT_LE(double(p.windows.controls[k].seed), width * double(k + 1));
  }
}

TEST(ManyWindows, EverySecondOneIsDropped) {
  ContentionOptions options;
  options.max_windows = 8;
  options.threshold = 10;
  const Passes p(misses(std::vector<uint32_t>(20, 50)), options);
  EXPECT_EQ(p.windows.window_count, 20u);
  EXPECT_EQ(p.windows.keep_every, 4u);
  EXPECT_EQ(p.windows.windows.size(), 5u);
  for (size_t i = 0; i < p.windows.windows.size(); ++i)
    EXPECT_EQ(p.windows.windows[i].seed, 4000 * i);
}

TEST(HotBlocks, KeepWhoDidWhatToWhichBytes) {
  Trace trace = {
      delayed(10, 0, 0x4000, 30, 20, 1),
      delayed(20, 0, 0x4000, 60, 50, 1),
      delayed(30, 1, 0x4008, 30, 10, 0),
      hit(40, 0, 0x4000),
      hit(50, 1, 0x4000)};
  trace[1].pc = 0x3000;
  trace[2].size = 8;
  trace[2].type = AccessType::Atomic;
  trace[2].flags |= AccessRecord::kUpdate;
  const Passes p(trace);
  ASSERT_EQ(p.windows.hot.size(), 1u);
  const HotBlock& block = p.windows.hot[0];
  EXPECT_EQ(block.excess, 80u);
  ASSERT_EQ(block.uses.size(), 3u);
  const Use& first = block.uses.at(HotBlock::use_key(0, 0, 4));
  EXPECT_EQ(first.reads, 1u);
  EXPECT_EQ(first.writes, 2u);
  EXPECT_EQ(first.excess, 70u);
  EXPECT_EQ(first.slow, 2u);
  EXPECT_EQ(first.peers, 2u);
  EXPECT_EQ(first.latency, 91u);
  EXPECT_EQ(first.pc, 0x3000u);  // of the costliest
  EXPECT_EQ(first.pc_excess, 50u);
  EXPECT_TRUE(first.several_pcs);
  const Use& second = block.uses.at(HotBlock::use_key(1, 8, 8));
  EXPECT_EQ(second.atomics, 1u);
  EXPECT_EQ(second.updates, 1u);
  EXPECT_FALSE(second.several_pcs);
  const Use& third = block.uses.at(HotBlock::use_key(1, 0, 4));
  EXPECT_EQ(third.reads, 1u);
  EXPECT_EQ(third.excess, 0u);
}

// The costliest, and so many at most.
TEST(HotBlocks, AreTheCostliestWithinTheirBound) {
  Trace trace;
  constexpr uint64_t kBlocks = tuning::kHotBlocks + 50;
  for (uint64_t i = 0; i < kBlocks; ++i)
    trace.push_back(
        delayed(10 * i, uint16_t(i % 2), 0x100000 + 128 * i, 200, 1 + uint32_t(i % 97), uint16_t(1 - i % 2)));
  const Passes p(trace);
  ASSERT_EQ(p.windows.hot.size(), tuning::kHotBlocks);
  EXPECT_EQ(p.windows.hot.front().excess, 97u);
  for (size_t i = 1; i < p.windows.hot.size(); ++i)
    ASSERT_GE(p.windows.hot[i - 1].excess, p.windows.hot[i].excess);
  EXPECT_EQ(p.windows.hot.back().excess, 2u);  // of the 50 that are left out most cost one cycle
}

TEST(HotBlocks, AFailedStoreConditionalStoresNothing) {
  Trace trace = {delayed(10, 0, 0x4000, 30, 20, 1), delayed(20, 0, 0x4000, 30, 20, 1)};
  for (AccessRecord& r : trace)
    r.type = AccessType::StoreConditional;
  trace[1].flags |= AccessRecord::kFailed;
  const Passes p(trace);
  const Use& use = p.windows.hot.at(0).uses.begin()->second;
  EXPECT_EQ(use.writes, 1u);
  EXPECT_EQ(use.reads, 1u);
  EXPECT_EQ(use.paired, 2u);
}

TEST(HotBlocks, OnlyLinkedLoadsAndConditionalStoresArePaired) {
  const auto paired = [](AccessType type) {
    Trace trace = {delayed(10, 0, 0x4000, 30, 20, 1)};
    trace[0].type = type;
    return Passes(trace).windows.hot.at(0).uses.begin()->second.paired;
  };
  EXPECT_EQ(paired(AccessType::LoadLinked), 1u);
  EXPECT_EQ(paired(AccessType::StoreConditional), 1u);
  EXPECT_EQ(paired(AccessType::Store), 0u);
  EXPECT_EQ(paired(AccessType::Atomic), 0u);
}

TEST(HotBlocks, ARangeEndsWithItsBlock) {
  Trace trace = {delayed(10, 0, 0x407e, 30, 20, 1)};
  trace[0].size = 8;
  const Passes p(trace);
  const Use& use = p.windows.hot.at(0).uses.begin()->second;
  EXPECT_EQ(use.offset, 126u);
  EXPECT_EQ(use.size, 2u);
}

}  // namespace
}  // namespace lento::memory

// What one access costs, and what the first pass sums up, by closed forms.
#include "memory/mine/contention_scan.h"

#include <gmock/gmock.h>

#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::answered;
using test::delayed;
using test::hit;
using test::miss;
using test::open_of;
using test::Trace;

Scan scan(const Trace& trace, const ContentionOptions& options = {}) {
  const program::AddressSpace names;
  Functions functions(names);
  base::ReadReport report;
  return scan_trace(open_of(trace), options, functions, report);
}

uint64_t lost(const Scan& s, Loss loss) {
  return s.losses[size_t(loss)];
}

const BlockCost& block(const Scan& s, uint64_t address, uint16_t process = 0) {
  return s.blocks.at({address / tuning::kBlockBytes, process});
}

TEST(Cost, ASimulatorChargesTheCulpritAndTheRestIsTheMiss) {
  Scan s;
  s.culprits_known = true;
  // 30 cycles, 12 of them for another: 18 are the miss, one of which a hit would have taken too.
  AccessRecord r = delayed(0, 1, 0x40, 30, 12, 2, DelayCause::Interconnect);
  EXPECT_EQ(cost_of(r, s).loss, Loss::Contended);
  EXPECT_EQ(cost_of(r, s).cycles, 12u);
  EXPECT_EQ(cost_of(r, s).miss, 17u);
  EXPECT_EQ(excess_of(r, s), 12u);
  r.cause = DelayCause::Bank;
  EXPECT_EQ(cost_of(r, s).loss, Loss::Bank);
  // A line that was taken away would have been a hit: there is no miss of its own.
  r.cause = DelayCause::Coherence;
  EXPECT_EQ(cost_of(r, s).loss, Loss::Contended);
  EXPECT_EQ(cost_of(r, s).miss, 0u);
  // Never more than the access took.
  r.blamed = 99;
  EXPECT_EQ(cost_of(r, s).cycles, 30u);
  r.culprit = AccessRecord::kNoCpu;
  EXPECT_EQ(cost_of(r, s).cycles, 0u);
}

TEST(Cost, BesideCulpritsMemoryOfAnotherNodeIsPlacement) {
  Scan s;
  s.culprits_known = true;
  s.service_baseline[size_t(Service::LocalMemory)] = 120;
  AccessRecord r = delayed(0, 1, 0x40, 250, 50, 2, DelayCause::Interconnect);
  r.service = Service::RemoteMemory;
  EXPECT_EQ(cost_of(r, s).cycles, 50u);
  EXPECT_EQ(cost_of(r, s).miss, 120u);
  EXPECT_EQ(cost_of(r, s).remote, 79u);
  r.latency = 100;  // never below nothing
  EXPECT_EQ(cost_of(r, s).miss, 49u);
  EXPECT_EQ(cost_of(r, s).remote, 0u);
}

TEST(Scan, MissesBeforeTheFirstCulpritCountAsThoseBehind) {
  Trace before;
  Trace behind;
  for (int i = 0; i < 3; ++i)
    before.push_back(miss(uint64_t(i), 1, 0x4000, 30));
  before.push_back(delayed(10, 2, 0x40, 30, 12, 1, DelayCause::Coherence));
  behind.push_back(delayed(0, 2, 0x40, 30, 12, 1, DelayCause::Coherence));
  for (int i = 0; i < 3; ++i)
    behind.push_back(miss(uint64_t(10 + i), 1, 0x4000, 30));
  EXPECT_EQ(lost(scan(before), Loss::Miss), 3u * 29);
  EXPECT_EQ(lost(scan(behind), Loss::Miss), 3u * 29);
}

TEST(Scan, AMissAPowerOfTwoFromTheOneBeforeIsAJump) {
  Trace trace;
  const uint64_t addresses[] = {0x10000, 0x11000, 0x12000, 0x12008, 0x12048, 0x14048, 0x14448};
  for (const uint64_t address : addresses)
    trace.push_back(miss(trace.size(), 1, address, 30));
  trace.push_back(delayed(90, 2, 0x40, 30, 12, 1, DelayCause::Coherence));
  const Scan s = scan(trace);
  uint64_t jumps = 0;
  for (const auto& [key, cost] : s.blocks)
    jumps += cost.jumps;
  EXPECT_EQ(jumps, 4u);  // 0x1000 twice, 0x2000, 0x400; neither 8 nor 64 bytes
}

TEST(Cost, WithoutCulpritAMissIsItsLatencyBeyondOneCycle) {
  Scan s;
  s.culprits_known = true;
  EXPECT_EQ(cost_of(miss(0, 1, 0x40, 30), s).miss, 29u);
  EXPECT_EQ(cost_of(miss(0, 1, 0x40, 30), s).cycles, 0u);
  EXPECT_EQ(cost_of(miss(0, 1, 0x40, 1), s).miss, 0u);
  EXPECT_EQ(cost_of(miss(0, 1, 0x40, 0), s).miss, 0u);
  EXPECT_EQ(cost_of(hit(0, 1, 0x40), s).miss, 0u);
  AccessRecord r = miss(0, 1, 0x40, 30);
  r.latency = AccessRecord::kNoLatency;
  EXPECT_EQ(cost_of(r, s).miss, 0u);
}

class LevelCost : public ::testing::Test {
 protected:
  LevelCost() {
    scan_.levels_known = true;
    scan_.service_baseline[size_t(Service::L1)] = 4;
    scan_.service_baseline[size_t(Service::LocalMemory)] = 100;
  }
  Cost cost(Service service, uint32_t latency) const {
    return cost_of(answered(0, 0, 0x40, service, latency), scan_);
  }
  Scan scan_;
};

TEST_F(LevelCost, AnotherCacheIsContention) {
  for (const Service peer : {Service::LocalPeer, Service::RemotePeer}) {
    EXPECT_EQ(cost(peer, 90).loss, Loss::Contended);
    EXPECT_EQ(cost(peer, 90).cycles, 86u);
    EXPECT_EQ(cost(peer, 90).miss, 0u);
  }
}

TEST_F(LevelCost, MemoryOfAnotherNodeIsPlacement) {
  // 250 cycles: 96 any miss takes, 150 more for the way to the other node.
  EXPECT_EQ(cost(Service::RemoteMemory, 250).loss, Loss::Remote);
  EXPECT_EQ(cost(Service::RemoteMemory, 250).cycles, 150u);
  EXPECT_EQ(cost(Service::RemoteMemory, 250).miss, 96u);
  EXPECT_EQ(cost(Service::RemoteMemory, 80).cycles, 0u);
  EXPECT_EQ(cost(Service::RemoteMemory, 80).miss, 76u);
}

TEST_F(LevelCost, LocalMemoryBeyondItsUnloadedLatencyIsAQueue) {
  EXPECT_EQ(cost(Service::LocalMemory, 130).loss, Loss::Queue);
  EXPECT_EQ(cost(Service::LocalMemory, 130).cycles, 30u);
  EXPECT_EQ(cost(Service::LocalMemory, 130).miss, 96u);
  EXPECT_EQ(cost(Service::LocalMemory, 60).cycles, 0u);
  EXPECT_EQ(cost(Service::LocalMemory, 60).miss, 56u);
}

TEST_F(LevelCost, OtherLevelsAreMissesAndTheFirstIsFree) {
  EXPECT_EQ(cost(Service::L2, 14).miss, 10u);
  EXPECT_EQ(cost(Service::L3, 44).miss, 40u);
  EXPECT_EQ(cost(Service::L3, 44).cycles, 0u);
  EXPECT_EQ(cost(Service::L1, 300).miss, 0u);
  EXPECT_EQ(cost(Service::L1, 300).cycles, 0u);
}

// "L3 miss", and nobody tells who answered: a miss, nobody's delay.
TEST_F(LevelCost, WhatLeftTheCpuForAnUnknownPlaceIsAMiss) {
  AccessRecord r = answered(0, 0, 0x40, Service::Unknown, 90);
  EXPECT_EQ(cost_of(r, scan_).cycles, 0u);
  EXPECT_EQ(cost_of(r, scan_).miss, 86u);
  // What does not tell even that is judged by its type, as where no level is known.
  r.flags = AccessRecord::kSampled;
  EXPECT_EQ(cost_of(r, scan_).cycles, 90u);
  EXPECT_EQ(cost_of(r, scan_).miss, 0u);
}

TEST(Cost, WithoutAnyTellerLatencyBeyondTheBaselineCounts) {
  Scan s;
  s.baseline[size_t(AccessType::Load)] = 5;
  AccessRecord r;
  r.latency = 42;
  EXPECT_EQ(cost_of(r, s).cycles, 37u);
  EXPECT_EQ(cost_of(r, s).loss, Loss::Contended);
  r.latency = 3;
  EXPECT_EQ(cost_of(r, s).cycles, 0u);
  r.latency = 1;
  EXPECT_EQ(cost_of(r, s).cycles, 0u);
}

TEST(Trivial, IsWhatTheOwnCacheServedOrTookOneCycle) {
  EXPECT_TRUE(is_trivial(hit(0, 0, 0)));
  EXPECT_FALSE(is_trivial(miss(0, 0, 0, 1)));  // known to come from elsewhere, however fast
  AccessRecord unknown;
  unknown.latency = 1;
  EXPECT_TRUE(is_trivial(unknown));
  unknown.latency = 2;
  EXPECT_FALSE(is_trivial(unknown));
}

TEST(Blocks, BelongToAProcessButTheKernelsToAll) {
  AccessRecord r = hit(0, 0, 0x1234);
  r.process = 3;
  EXPECT_EQ(block_of(r), (BlockKey{0x1234 / 128, 3}));
  r.address |= uint64_t{1} << 63;
  EXPECT_EQ(block_of(r).process, 0);
}

TEST(FirstPass, SumsWhatTheTraceTells) {
  Trace trace = {
      hit(100, 0, 0x4000),
      miss(110, 1, 0x8000, 30),
      delayed(120, 0, 0x4000, 50, 40, 1),
      delayed(130, 1, 0x4008, 60, 20, 0, DelayCause::Bank)};
  trace[3].flags |= AccessRecord::kFailed;
  trace[3].type = AccessType::StoreConditional;
  AccessRecord silent = hit(140, 2, 0x9000);
  silent.latency = AccessRecord::kNoLatency;
  trace.push_back(silent);
  const Scan s = scan(trace);
  EXPECT_EQ(s.events, 5u);
  EXPECT_EQ(s.trivial, 1u);
  EXPECT_EQ(s.no_latency, 1u);
  EXPECT_EQ(s.failed_sc, 1u);
  EXPECT_EQ(s.writes, 2u);
  EXPECT_EQ(s.first_cycle, 100u);
  EXPECT_EQ(s.last_cycle, 140u);
  EXPECT_EQ(s.duration(), 41u);
  EXPECT_TRUE(s.service_known);
  EXPECT_TRUE(s.culprits_known);
  EXPECT_FALSE(s.sampled);
  EXPECT_FALSE(s.levels_known);
  EXPECT_EQ(s.latency_sum, 1u + 30 + 50 + 60);
  EXPECT_EQ(s.latencies.total(), 3u);
  EXPECT_EQ(s.by_type[size_t(AccessType::Load)].total(), 2u);
  EXPECT_EQ(lost(s, Loss::Contended), 40u);
  EXPECT_EQ(lost(s, Loss::Bank), 20u);
  EXPECT_EQ(s.excess, 60u);
  EXPECT_EQ(s.slow, 2u);
  EXPECT_EQ(s.excess_by_type[size_t(AccessType::Store)], 40u);
  EXPECT_EQ(s.cycles_by_cause[size_t(DelayCause::Coherence)], 40u);
  EXPECT_EQ(s.cycles_by_cause[size_t(DelayCause::Bank)], 20u);
  EXPECT_EQ(s.cpu_set().text(), "0-2");
  EXPECT_EQ(s.cpus.at(0).accesses, 2u);
  EXPECT_EQ(s.cpus.at(0).first, 100u);
  EXPECT_EQ(s.cpus.at(0).last, 120u);
  EXPECT_EQ(s.cpus.at(0).latency, 51u);
  EXPECT_EQ(s.actors.at(1), 2u);
  EXPECT_EQ(s.processes.at(0), 5u);
  EXPECT_DOUBLE_EQ(s.share_of_excess(15), 0.25);
  EXPECT_DOUBLE_EQ(s.share_of_excess(600), 1);
}

TEST(FirstPass, BlamesByCpuAndByFunction) {
  const Scan s =
      scan({delayed(1, 0, 0x4000, 50, 40, 1), delayed(2, 0, 0x4000, 50, 30, 1), hit(3, 1, 0x4000)});
  ASSERT_EQ(s.cpu_blame.size(), 1u);
  EXPECT_EQ(s.cpu_blame.at({0, 1}).cycles, 70u);
  EXPECT_EQ(s.cpu_blame.at({0, 1}).accesses, 2u);
  ASSERT_EQ(s.function_blame.size(), 1u);  // code at 0x1000 waits for code at 0x2000
  EXPECT_EQ(s.function_blame.begin()->second.cycles, 70u);
  EXPECT_EQ(s.function_blame.begin()->second.accesses, 2u);
  EXPECT_NE(s.function_blame.begin()->first.first, s.function_blame.begin()->first.second);
}

TEST(FirstPass, BlocksKeepTheirCostliestAddress) {
  const Scan s = scan(
      {delayed(1, 0, 0x4000, 50, 20, 1),
       delayed(2, 1, 0x4018, 90, 80, 0),
       delayed(3, 0, 0x4020, 50, 30, 1),
       miss(4, 3, 0x4000, 12)});
  const BlockCost& b = block(s, 0x4000);
  EXPECT_EQ(b.cycles[size_t(Loss::Contended)], 130u);
  EXPECT_EQ(b.cycles[size_t(Loss::Miss)], 11u);
  EXPECT_EQ(b.accesses, 4u);
  EXPECT_EQ(b.misses, 1u);
  EXPECT_EQ(b.cpus, 1u << 3);
  EXPECT_EQ(b.address, 0x4018u);
  EXPECT_EQ(b.worst, 80u);
}

TEST(FirstPass, FetchesHaveNoBlock) {
  AccessRecord fetch = delayed(1, 0, 0x4000, 50, 40, 1);
  fetch.type = AccessType::Fetch;
  const Scan s = scan({fetch});
  EXPECT_TRUE(s.blocks.empty());
  EXPECT_EQ(s.excess_by_type[size_t(AccessType::Fetch)], 40u);
  EXPECT_TRUE(s.sample.kept().empty());
}

TEST(FirstPass, LevelsAndContextAreCounted) {
  Trace trace = {
      answered(1, 0, 0x40, Service::L1, 4),
      answered(2, 1, 0x40, Service::LocalPeer, 80),
      answered(3, 0, 0x40, Service::RemotePeer, 200),
      answered(4, 1, 0x80, Service::RemoteMemory, 300)};
  trace[3].node = 1;
  trace[2].process = 7;
  const Scan s = scan(trace);
  EXPECT_TRUE(s.levels_known);
  EXPECT_TRUE(s.sampled);
  EXPECT_EQ(s.local_hits, 1u);
  EXPECT_EQ(s.peers, 2u);
  EXPECT_EQ(s.remote, 2u);
  EXPECT_EQ(s.with_node, 1u);
  EXPECT_EQ(s.with_thread, 4u);
  EXPECT_EQ(s.actors.at(100), 2u);
  EXPECT_EQ(s.processes.at(7), 1u);
  EXPECT_EQ(s.by_service[size_t(Service::RemotePeer)].total(), 1u);
}

// Nobody tells who delayed whom: a second look with the tenth percentile of each kind.
TEST(FirstPass, BaselinesAreTheTenthPercentile) {
  Trace trace;
  for (uint32_t i = 0; i < 100; ++i) {
    AccessRecord r = miss(i, uint16_t(i % 2), 0x4000, 10 + i);
    trace.push_back(r);
  }
  const Scan s = scan(trace);
  EXPECT_DOUBLE_EQ(s.baseline[size_t(AccessType::Load)], 19);
  uint64_t expected = 0;
  for (uint64_t latency = 10; latency < 110; ++latency)
    expected += latency > 19 ? latency - 19 : 0;
  EXPECT_EQ(s.excess, expected);
  EXPECT_EQ(block(s, 0x4000).cycles[size_t(Loss::Contended)], expected);
  EXPECT_EQ(block(s, 0x4000).misses, 90u);  // those that cost something
}

TEST(FirstPass, LocalMemoryNeverSeenIsTakenFromTheRemoteOne) {
  Trace trace;
  for (int i = 0; i < 20; ++i) {
    trace.push_back(answered(uint64_t(i), 0, 0x40, Service::L1, 4));
    trace.push_back(answered(uint64_t(i), 1, 0x80, Service::RemoteMemory, 320));
  }
  const Scan s = scan(trace);
  EXPECT_DOUBLE_EQ(s.service_baseline[size_t(Service::LocalMemory)], 320 / tuning::kRemoteFactor);
  EXPECT_DOUBLE_EQ(s.service_baseline[size_t(Service::LocalPeer)], 4);
  EXPECT_DOUBLE_EQ(s.service_baseline[size_t(Service::RemotePeer)], 4);
}

TEST(FirstPass, AnEmptyTraceStartsAtZero) {
  const Scan s = scan({});
  EXPECT_EQ(s.events, 0u);
  EXPECT_EQ(s.first_cycle, 0u);
  EXPECT_EQ(s.duration(), 0u);
  EXPECT_DOUBLE_EQ(s.share_of_excess(1), 0);
}

TEST(Filter, BordersAreInside) {
  const Trace trace = {hit(10, 0, 0), hit(20, 1, 0), hit(30, 2, 0), hit(40, 1, 0)};
  ContentionOptions options;
  options.filter.first_cycle = 20;
  options.filter.last_cycle = 30;
  EXPECT_EQ(scan(trace, options).events, 2u);
  options.filter.cpus.add(1);
  EXPECT_EQ(scan(trace, options).events, 1u);
  options.filter.function = "code at 0x1000";
  EXPECT_EQ(scan(trace, options).events, 1u);
  options.filter.function = "code at 0x1100";
  EXPECT_EQ(scan(trace, options).events, 0u);
}

TEST(Items, AreNumberedOnceByKindCpuAndValue) {
  Items items;
  EXPECT_EQ(items.of(Items::Kind::Function, 0, 5), 0u);
  EXPECT_EQ(items.of(Items::Kind::CpuFunction, 0, 5), 1u);
  EXPECT_EQ(items.of(Items::Kind::CpuFunction, 1, 5), 2u);
  EXPECT_EQ(items.of(Items::Kind::Function, 0, 5), 0u);
  EXPECT_EQ(items.size(), 3u);
  EXPECT_EQ(items.item(2).cpu, 1u);
  EXPECT_EQ(items.item(2).value, 5u);
}

// A core with many misses under way waits for few of them, and all are misses of the object.
TEST(Sample, CountsMissesThatOthersHide) {
  AccessRecord waits = hit(1, 0, 0x1000);
  EXPECT_FALSE(is_hidden_miss(waits));
  waits.flags |= AccessRecord::kLocal | AccessRecord::kServiceKnown;
  waits.service = memory::Service::L2;
  EXPECT_TRUE(is_hidden_miss(waits));
  EXPECT_EQ(scan({waits}).sample.kept().at(0).missed, true);
  waits.service = memory::Service::L1;
  EXPECT_FALSE(is_hidden_miss(waits));
}

TEST(Sample, IsFairAndBounded) {
  AccessSample sample;
  constexpr uint64_t kAccesses = 1 << 20;
  for (uint64_t i = 0; i < kAccesses; ++i)
    sample.add(hit(i, 0, i), i % 4 == 0);  // a rhythm of the program
  const auto& kept = sample.kept();
  EXPECT_LT(kept.size(), size_t{1} << 16);
  EXPECT_GE(kept.size(), size_t{1} << 14);
  uint64_t missed = 0;
  uint64_t early = 0;
  for (const auto& k : kept) {
    EXPECT_EQ(k.address, k.number);
    missed += k.missed;
    early += k.number < kAccesses / 2;
  }
  // Four standard deviations of a fair draw.
  const double n = double(kept.size());
  EXPECT_NEAR(double(missed) / n, 0.25, 4 * std::sqrt(0.25 * 0.75 / n));
  EXPECT_NEAR(double(early) / n, 0.5, 4 * std::sqrt(0.25 / n));
}

}  // namespace
}  // namespace lento::memory

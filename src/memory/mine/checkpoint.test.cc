// The kept state of the first pass: every member comes back, and no other run takes it.
#include "memory/mine/checkpoint.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/test_error.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::answered;
using test::delayed;
using test::open_of;
using test::Trace;
using ::testing::HasSubstr;

Trace rich_trace() {
  Trace trace;
  for (uint64_t i = 0; i < 500; ++i) {
    trace.push_back(delayed(10 * i, uint16_t(i % 3), 0x4000 + 64 * (i % 5), 30, 20, uint16_t((i + 1) % 3)));
    trace.push_back(answered(10 * i + 1, uint16_t(i % 70), 0x9000 * i, Service::L3, uint32_t(40 + i)));
    trace.back().process = uint16_t(i % 4);
  }
  return trace;
}

TEST(Checkpoint, GivesTheWholeStateBack) {
  const program::AddressSpace none;
  Functions functions(none);
  base::ReadReport report;
  const Trace trace = rich_trace();
  const Scan scan = scan_trace(open_of(trace), {}, functions, report);
  const std::string bytes = pack_pass("key", {777, false}, scan, functions);
  Scan back;
  PassMark mark;
  Functions known(none);
  ASSERT_TRUE(unpack_pass(bytes, "file", "key", {mark, back, known}));
  EXPECT_EQ(mark.records, 777u);
  EXPECT_FALSE(mark.finished);
  EXPECT_EQ(known.size(), functions.size());
  // What is packed again is as long: nothing was lost and nothing added. (Blocks have no order.)
  EXPECT_EQ(pack_pass("key", mark, back, known).size(), bytes.size());
  for (const auto& [key, cost] : scan.blocks) {
    const BlockCost& again = back.blocks.at(key);
    EXPECT_EQ(again.cycles, cost.cycles);
    EXPECT_EQ(again.accesses, cost.accesses);
    EXPECT_EQ(again.misses, cost.misses);
    EXPECT_EQ(again.cpus, cost.cpus);
    EXPECT_EQ(again.address, cost.address);
    EXPECT_EQ(again.worst, cost.worst);
  }
  EXPECT_EQ(back.losses, scan.losses);
  EXPECT_EQ(back.excess, scan.excess);
  EXPECT_EQ(back.latencies.values(), scan.latencies.values());
  EXPECT_EQ(back.sample.kept().size(), scan.sample.kept().size());
  EXPECT_EQ(back.events, scan.events);
  EXPECT_EQ(back.blocks.size(), scan.blocks.size());
  EXPECT_EQ(back.cpus.size(), scan.cpus.size());
  EXPECT_GT(scan.extent.kept(0.05).count, 0U);
  EXPECT_EQ(back.extent.kept(0.05).count, scan.extent.kept(0.05).count);
  EXPECT_EQ(back.extent.kept(0.05).first, scan.extent.kept(0.05).first);
  EXPECT_EQ(back.extent.kept(0.05).last, scan.extent.kept(0.05).last);
}

TEST(Checkpoint, AnotherKeyIsNotTakenAndDamageIsAnError) {
  const program::AddressSpace none;
  Functions functions(none);
  base::ReadReport report;
  const Trace trace = rich_trace();
  const Scan scan = scan_trace(open_of(trace), {}, functions, report);
  const std::string bytes = pack_pass("key", {}, scan, functions);
  Scan back;
  PassMark mark;
  Functions known(none);
  EXPECT_FALSE(unpack_pass(bytes, "file", "other", {mark, back, known}));
  for (const size_t at : {size_t{0}, size_t{20}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 1);
    EXPECT_THROW(unpack_pass(damaged, "file", "key", {mark, back, known}), base::Error) << at;
  }
  EXPECT_THROW(
      unpack_pass(bytes.substr(0, bytes.size() - 9), "file", "key", {mark, back, known}),
      base::Error);
}

// A different number in every member, so that none is left out, and none lands in its neighbour.
Scan filled() {
  Scan s;
  uint64_t next = 1000;
  for (uint64_t* member :
       {&s.events,
        &s.trivial,
        &s.no_latency,
        &s.failed_sc,
        &s.first_cycle,
        &s.last_cycle,
        &s.local_hits,
        &s.writes,
        &s.slow,
        &s.peers,
        &s.remote,
        &s.with_node,
        &s.with_thread,
        &s.excess,
        &s.latency_sum,
        &s.unnamed_latency,
        &s.blocks_dropped})
    *member = ++next;
  for (auto& value : s.excess_by_type)
    value = ++next;
  for (auto& value : s.cycles_by_cause)
    value = ++next;
  for (auto& value : s.losses)
    value = ++next;
  s.latencies.add(7, ++next);
  for (auto& histogram : s.by_type)
    histogram.add(uint32_t(++next), 3);
  for (auto& histogram : s.by_service)
    histogram.add(uint32_t(++next), 5);
  s.blocks[{++next, 4}] = {{next, next + 1, next + 2, next + 3, next + 4}, 11, 12, 13, 14, 15};
  s.cpus[5] = {++next, next + 1, next + 2, next + 3};
  s.actors[6] = ++next;
  s.processes[7] = ++next;
  s.cpu_blame[{1, 2}] = {++next, 3};
  s.function_blame[{3, 4}] = {++next, 5};
  s.sampled_code[8] = {++next, 6, 7, 8};
  s.sampled_data[{9, 1}] = {++next, 16, 17, 18};
  AccessRecord r = answered(1, 2, 3, Service::L2, 4);
  r.process = 9;
  s.sample.add(r, true);
  return s;
}

// Packed and taken up again.
Scan again(const Scan& scan) {
  const program::AddressSpace none;
  Functions functions(none);
  PassMark mark;
  Scan back;
  EXPECT_TRUE(unpack_pass(pack_pass("key", {}, scan, functions), "file", "key", {mark, back, functions}));
  return back;
}

TEST(Checkpoint, NumbersComeBackInTheirPlaces) {
  const Scan s = filled();
  const Scan b = again(s);
  EXPECT_EQ(b.events, s.events);
  EXPECT_EQ(b.trivial, s.trivial);
  EXPECT_EQ(b.no_latency, s.no_latency);
  EXPECT_EQ(b.failed_sc, s.failed_sc);
  EXPECT_EQ(b.first_cycle, s.first_cycle);
  EXPECT_EQ(b.last_cycle, s.last_cycle);
  EXPECT_EQ(b.local_hits, s.local_hits);
  EXPECT_EQ(b.writes, s.writes);
  EXPECT_EQ(b.slow, s.slow);
  EXPECT_EQ(b.peers, s.peers);
  EXPECT_EQ(b.remote, s.remote);
  EXPECT_EQ(b.with_node, s.with_node);
  EXPECT_EQ(b.with_thread, s.with_thread);
  EXPECT_EQ(b.excess, s.excess);
  EXPECT_EQ(b.latency_sum, s.latency_sum);
  EXPECT_EQ(b.unnamed_latency, s.unnamed_latency);
  EXPECT_EQ(b.blocks_dropped, s.blocks_dropped);
  EXPECT_EQ(b.excess_by_type, s.excess_by_type);
  EXPECT_EQ(b.cycles_by_cause, s.cycles_by_cause);
  EXPECT_EQ(b.losses, s.losses);
}

TEST(Checkpoint, FlagsComeBackOneByOne) {
  for (bool Scan::*flag :
       {&Scan::service_known, &Scan::culprits_known, &Scan::sampled, &Scan::levels_known}) {
    Scan s;
    s.*flag = true;
    const Scan b = again(s);
    EXPECT_TRUE(b.*flag);
    EXPECT_EQ(b.service_known + b.culprits_known + b.sampled + b.levels_known, 1);
  }
}

TEST(Checkpoint, ListsComeBackWithTheirKeys) {
  const Scan s = filled();
  const Scan b = again(s);
  EXPECT_EQ(b.latencies.values(), s.latencies.values());
  for (size_t t = 0; t < s.by_type.size(); ++t)
    EXPECT_EQ(b.by_type[t].values(), s.by_type[t].values());
  for (size_t t = 0; t < s.by_service.size(); ++t)
    EXPECT_EQ(b.by_service[t].values(), s.by_service[t].values());
  ASSERT_EQ(b.cpus.size(), 1u);
  EXPECT_EQ(b.cpus.at(5).first, s.cpus.at(5).first);
  EXPECT_EQ(b.cpus.at(5).last, s.cpus.at(5).last);
  EXPECT_EQ(b.cpus.at(5).accesses, s.cpus.at(5).accesses);
  EXPECT_EQ(b.cpus.at(5).latency, s.cpus.at(5).latency);
  EXPECT_EQ(b.actors, s.actors);
  EXPECT_EQ(b.processes, s.processes);
  EXPECT_EQ(b.cpu_blame.at({1, 2}).cycles, s.cpu_blame.at({1, 2}).cycles);
  EXPECT_EQ(b.cpu_blame.at({1, 2}).accesses, 3u);
  EXPECT_EQ(b.function_blame.at({3, 4}).cycles, s.function_blame.at({3, 4}).cycles);
  EXPECT_EQ(b.function_blame.at({3, 4}).accesses, 5u);
  const auto expect_equal = [](const Sampled& x, const Sampled& y) {
    EXPECT_EQ(x.latency, y.latency);
    EXPECT_EQ(x.accesses, y.accesses);
    EXPECT_EQ(x.address, y.address);
    EXPECT_EQ(x.worst, y.worst);
  };
  expect_equal(b.sampled_code.at(8), s.sampled_code.at(8));
  expect_equal(b.sampled_data.at({9, 1}), s.sampled_data.at({9, 1}));
  ASSERT_EQ(b.blocks.size(), 1u);
  EXPECT_EQ(b.blocks.begin()->first, s.blocks.begin()->first);
  ASSERT_EQ(b.sample.kept().size(), 1u);
  EXPECT_EQ(b.sample.kept()[0].address, 3u);
  EXPECT_EQ(b.sample.kept()[0].number, 0u);
  EXPECT_EQ(b.sample.kept()[0].process, 9u);
  EXPECT_TRUE(b.sample.kept()[0].missed);
}

// What comes later falls in the same draws as without an interruption.
TEST(Checkpoint, TheSampleGoesOnWhereItWas) {
  AccessSample whole;
  Scan half;
  const AccessRecord r = answered(1, 2, 3, Service::L2, 4);
  constexpr int kAccesses = 200'000;
  for (int i = 0; i < kAccesses; ++i)
    whole.add(r, false);
  for (int i = 0; i < kAccesses / 2; ++i)
    half.sample.add(r, false);
  Scan rest = again(half);
  for (int i = kAccesses / 2; i < kAccesses; ++i)
    rest.sample.add(r, false);
  const auto& kept = rest.sample.kept();
  ASSERT_EQ(kept.size(), whole.kept().size());
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i].number, whole.kept()[i].number);
}

TEST(Checkpoint, FunctionsKeepNumberNameAndProcess) {
  program::AddressSpace space;
  space.add_code({2, 0x1000, 0x1100, "work", ""});
  Functions functions(space);
  functions.of(2, 0x1010);
  functions.of(3, 0x5000);
  functions.of(2, 0x5000);
  PassMark mark;
  Scan back;
  Functions known(space);
  ASSERT_TRUE(unpack_pass(pack_pass("key", {5, true}, {}, functions), "file", "key", {mark, back, known}));
  EXPECT_EQ(mark.records, 5u);
  EXPECT_TRUE(mark.finished);
  ASSERT_EQ(known.size(), 3u);
  EXPECT_EQ(known.of(2, 0x1010), 0u);
  EXPECT_EQ(known.of(3, 0x5000), 1u);
  EXPECT_EQ(known.of(2, 0x5000), 2u);
  EXPECT_EQ(known.size(), 3u);
  EXPECT_EQ(known.name(0), "work");
}

TEST(Checkpoint, AnErrorNamesTheFileAndTheWayOut) {
  const program::AddressSpace none;
  Functions functions(none);
  PassMark mark;
  Scan back;
  for (const std::string& bytes : {std::string(), std::string("LENTOPA3"), std::string(40, 'x')}) {
    const std::string error = base::test::error_of([&] {
      unpack_pass(bytes, "state.pass", "key", {mark, back, functions});
    });
    EXPECT_THAT(error, HasSubstr("state.pass"));
    EXPECT_THAT(error, HasSubstr("remove it to start over"));
  }
}

}  // namespace
}  // namespace lento::memory

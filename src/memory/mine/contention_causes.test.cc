// Each cause from the losses that make it, at its threshold and just below; each cycle blamed once.
#include "memory/mine/contention_causes.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "memory/mine/contention_patterns.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::add_meetings;
using test::answered;
using test::calm;
using test::delayed;
using test::diagnose;
using test::evidence;
using test::hit;
using test::miss;
using test::Trace;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Causes, SharingIsChargedWithWhatItCost) {
  Trace trace = calm(20000);
  add_meetings(trace, 200, 20, 4);
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "false sharing");
  EXPECT_EQ(evidence(d.findings[0], "cycles lost"), 200 * 20);
  // Both CPUs from their first to their last access: 19,991 cycles each.
  EXPECT_NEAR(*d.findings[0].lost_share, 4000.0 / (2 * 19991), 1e-9);
  EXPECT_DOUBLE_EQ(d.findings[0].score, 1);
}

TEST(Causes, ALossBelowOneInAHundredIsNobodysFault) {
  for (const auto& [wait, found] : {std::pair{3u, true}, std::pair{1u, false}}) {
    Trace trace = calm(20000);
    add_meetings(trace, 200, wait, 4);  // 600 or 200 of 39,982 cycles
    EXPECT_EQ(diagnose(trace).findings.size(), found ? 1u : 0u) << wait;
  }
}

TEST(Causes, FewMeetingsAccuseNobody) {
  for (const int meetings : {int(tuning::kLeastMeetings), int(tuning::kLeastMeetings) - 1}) {
    Trace trace = calm(10000);
    add_meetings(trace, meetings, 80, 4);
    EXPECT_EQ(diagnose(trace).findings.empty(), meetings < int(tuning::kLeastMeetings)) << meetings;
  }
}

TEST(Causes, WordsTellTrueFromFalseSharing) {
  for (const auto& [distance, name] : {std::pair{4u, "false sharing"}, std::pair{0u, "true sharing"}}) {
    Trace trace = calm(20000);
    add_meetings(trace, 200, 20, distance);
    const finding::Diagnosis d = diagnose(trace);
    ASSERT_EQ(d.findings.size(), 1u);
    EXPECT_EQ(d.findings[0].category, name);
    EXPECT_EQ(evidence(d.findings[0], "touch a common byte"), distance == 0 ? 1 : 0);
  }
}

TEST(Causes, WaitsForBanksAreBankConflicts) {
  Trace trace = calm(20000);
  for (int i = 0; i < 200; ++i)
    trace.push_back(delayed(
        20000 + uint64_t(10 * i),
        uint16_t(i % 2),
        0x80000 + 4096u * unsigned(i),
        21,
        20,
        0,
        DelayCause::Bank));
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "bank or set conflict");
  EXPECT_EQ(evidence(d.findings[0], "cycles lost"), 200 * 20);
}

TEST(Causes, WaitsForTheWayAreSaturation) {
  Trace trace = calm(20000);
  for (int i = 0; i < 200; ++i)
    trace.push_back(delayed(
        20000 + uint64_t(10 * i),
        uint16_t(i % 2),
        (i % 2 ? 0x80000u : 0x90000u) + 128u * unsigned(i),
        21,
        20,
        uint16_t(1 - i % 2),
        DelayCause::Interconnect));
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "saturation");
  EXPECT_EQ(d.findings[0].subject, "memory interconnect");
}

TEST(Causes, WaitingFetchesAreAFetchConflict) {
  Trace trace = calm(20000);
  for (int i = 0; i < 200; ++i) {
    AccessRecord r = delayed(
        20000 + uint64_t(10 * i),
        uint16_t(i % 2),
        0x1000,
        21,
        20,
        uint16_t(1 - i % 2),
        DelayCause::Interconnect);
    r.type = AccessType::Fetch;
    trace.push_back(r);
  }
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_FALSE(d.findings.empty()) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "fetch conflict");
  EXPECT_EQ(evidence(d.findings[0], "cycles lost"), 200 * 20);
}

// One thread walks an object over and over: `lines` of 128 bytes, each missed `rounds` times.
Trace walk(uint64_t lines, int rounds, uint64_t step, int hits, uint64_t cycles_a_step = 50) {
  Trace trace = {delayed(0, 0, 0x10, 2, 1, 1)};  // a trace that knows culprits
  uint64_t cycle = 10;
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t line = 0; line < lines; ++line) {
      for (uint16_t cpu = 0; cpu < 2; ++cpu) {
        const uint64_t address = 0x100000 + cpu * 0x8000000ull + line * step;
        trace.push_back(miss(cycle, cpu, address, 40));
        for (int h = 0; h < hits; ++h)
          trace.push_back(hit(cycle + 40 + uint64_t(h), cpu, address + 4));
      }
      cycle += cycles_a_step;
    }
  }
  test::sort(trace);
  return trace;
}

TEST(Causes, LinesThatComeBackDoNotFitTheCache) {
  const finding::Diagnosis d = diagnose(walk(128, 4, 128, 2));
  ASSERT_FALSE(d.findings.empty()) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "capacity");
}

TEST(Causes, LinesThatComeOnceDoFit) {
  EXPECT_THAT(diagnose(walk(512, 1, 128, 2)).findings, IsEmpty());
}

TEST(Causes, FewMissesAmongManyHitsAreNoFault) {
  EXPECT_THAT(diagnose(walk(128, 4, 128, 8)).findings, IsEmpty());  // one access in nine
}

TEST(Causes, ASmallObjectFitsAnyCache) {
  EXPECT_THAT(diagnose(walk(32, 16, 128, 2)).findings, IsEmpty());
}

// What is beyond the object's last byte does not count among its misses.
TEST(Causes, MissesOfNeighboursAreNotTheObjects) {
  Trace trace = walk(128, 4, 128, 8);
  for (uint64_t i = 0; i < 20000; ++i)
    trace.push_back(miss(10 + i, uint16_t(i % 2), 0x20000000 + 4096 * i, 2));
  test::sort(trace);
  EXPECT_THAT(diagnose(trace).findings, IsEmpty());
}

// Lines that are fought over are fetched again by the fight, not for want of room.
TEST(Causes, MissesOfSharedLinesAreNotBlamedAgain) {
  Trace trace = walk(128, 4, 128, 2);
  uint64_t cycle = 10;
  for (int round = 0; round < 4; ++round) {
    for (uint64_t line = 0; line < 128; ++line) {
      for (uint16_t cpu = 0; cpu < 2; ++cpu)
        trace.push_back(delayed(cycle, cpu, 0x100000 + line * 128 + 8 * cpu, 41, 40, uint16_t(1 - cpu)));
      cycle += 50;
    }
  }
  std::erase_if(trace, [](const AccessRecord& r) {
    return r.address >= 0x8000000;  // the other thread's object
  });
  test::sort(trace);
  std::vector<std::string> categories;
  for (const finding::Finding& f : diagnose(trace).findings)
    categories.push_back(f.category);
  EXPECT_THAT(categories, Contains(HasSubstr("sharing")));
  EXPECT_THAT(categories, ::testing::Not(Contains("capacity")));
}

// Latencies alone: whether misses are many can be told where most accesses were fast.
TEST(Causes, WithoutHitsNobodyKnowsWhetherMissesAreMany) {
  const auto note_of = [](int misses_in_ten) {
    Trace trace;
    for (uint64_t i = 0; i < 4000; ++i) {
      const bool fast = int(i % 10) >= misses_in_ten;
      trace.push_back(miss(100 * i, uint16_t(i % 2), 0x10000 + 64 * (i % 100), fast ? 1 : 40));
      trace.back().flags = 0;
    }
    return test::text_of(diagnose(trace)).find("no hits in the own cache were recorded") != std::string::npos;
  };
  EXPECT_TRUE(note_of(9));
  EXPECT_TRUE(note_of(5));
  EXPECT_FALSE(note_of(4));
  EXPECT_FALSE(note_of(1));
}

TEST(Causes, MissesOnOneResidueAreASetConflict) {
  const finding::Diagnosis d = diagnose(walk(16, 32, 4096, 2));
  ASSERT_FALSE(d.findings.empty()) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "set conflict");
  EXPECT_EQ(evidence(d.findings[0], "distance of the lines"), 4096);
}

// Columns of a matrix whose rows are 4096 bytes apart: its lines lie on many residues, but one after the
// other on one. In another order the same misses are those of a cache that is too small.
TEST(Causes, AWalkDownColumnsIsASetConflict) {
  std::vector<uint64_t> addresses;
  for (int round = 0; round < 4; ++round) {
    for (uint64_t column = 0; column < 16; ++column) {
      for (uint64_t row = 0; row < 24; ++row)
        addresses.push_back(0x100000 + row * 4096 + column * 128);
    }
  }
  base::Rng rng(5, "columns");
  for (const char* category : {"set conflict", "capacity"}) {
    Trace trace = {delayed(0, 0, 0x10, 2, 1, 1)};
    uint64_t cycle = 10;
    for (const uint64_t address : addresses) {
      trace.push_back(miss(cycle, 0, address, 40));
      trace.push_back(hit(cycle + 40, 0, address + 4));
      cycle += 50;
    }
    const finding::Diagnosis d = diagnose(trace);
    ASSERT_FALSE(d.findings.empty()) << d.verdict;
    EXPECT_EQ(d.findings[0].category, category);
    for (size_t i = addresses.size(); i > 1; --i)
      std::swap(addresses[i - 1], addresses[rng.below(i)]);
  }
}

// One thread fills a table, another goes on with it: each line changes hands once, and nobody fought.
TEST(Causes, WhatIsHandedOverOnceIsNotSharedInAFight) {
  for (const int times : {1, 2}) {
    Trace trace = calm(40000);
    for (int i = 0; i < 300 * times; ++i) {
      const auto cpu = uint16_t(i / 300 % 2);
      const uint64_t address = 0x80000 + uint64_t(i % 300) * 128;
      trace.push_back(hit(uint64_t(20 * i), uint16_t(1 - cpu), address));
      trace.back().type = AccessType::Store;
      trace.push_back(
          delayed(uint64_t(20 * i) + 10, cpu, address, 61, 60, uint16_t(1 - cpu), DelayCause::Coherence));
      trace.back().type = AccessType::Store;
    }
    test::sort(trace);
    EXPECT_EQ(diagnose(trace).findings.size(), times == 1 ? 0u : 1u) << times;
  }
}

// The first line of a block is a count that two threads change, and they find the rest as a third one left
// it.
TEST(Causes, OneFoughtLineIsNotExcusedByManyThatAreNot) {
  Trace trace = calm(40000);
  add_meetings(trace, 400, 20, 0, 0x80000);
  for (uint64_t i = 1; i < 12; ++i) {
    trace.push_back(hit(i, 2, 0x80000 + 64 * i));
    trace.push_back(delayed(100 + i, uint16_t(i % 2), 0x80000 + 64 * i, 61, 60, 2));
  }
  test::sort(trace);
  program::TraceFacts facts;
  facts.names.add_data({0, 0x80000, 0x80300, "block", "main.cc:7"});
  const finding::Diagnosis d = diagnose(trace, facts);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "true sharing");
  EXPECT_EQ(evidence(d.findings[0], "cycles lost"), 400 * 20);
}

// One thread fills a ring of so many lines, and the other empties it.
Trace ring(uint64_t lines) {
  Trace trace = calm(20000);
  for (uint64_t i = 0; i < 400; ++i) {
    for (uint64_t word = 0; word < 8; ++word) {
      const uint64_t address = 0x80000 + i % lines * 64 + word * 8;
      trace.push_back(hit(50 * i + word, 0, address));
      trace.push_back(hit(50 * i + 20 + word, 1, address));
      if (word == 0) {
        trace.back() = delayed(50 * i + 20, 1, address, 31, 30, 0);
        trace.back().type = AccessType::Load;
      }
      trace[trace.size() - 2].type = AccessType::Store;
    }
  }
  test::sort(trace);
  return trace;
}

TEST(Causes, AQueueIsHandedOn) {
  const finding::Diagnosis d = diagnose(ring(8));
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy) << d.verdict;
  EXPECT_THAT(d.verdict, HasSubstr("hand on to one another"));
  EXPECT_THAT(d.notes, Contains(HasSubstr("hand over more at a time")));
  const finding::Diagnosis record = diagnose(ring(1));
  ASSERT_THAT(record.findings, ::testing::SizeIs(1)) << record.verdict;
  EXPECT_EQ(record.findings[0].category, "true sharing");
  EXPECT_THAT(record.findings[0].next_step, HasSubstr("publish it less often"));
}

// A tenth of the time: too little to blame the size of a cache, not for what a stride does.
TEST(Causes, ASetConflictCountsFromTheLeastLossACapacityDoesNot) {
  const finding::Diagnosis conflict = diagnose(walk(16, 32, 4096, 2, 400));
  ASSERT_FALSE(conflict.findings.empty()) << conflict.verdict;
  EXPECT_EQ(conflict.findings[0].category, "set conflict");
  EXPECT_LT(*conflict.findings[0].lost_share, 0.15);
  EXPECT_THAT(diagnose(walk(128, 4, 128, 2, 400)).findings, IsEmpty());
  EXPECT_THAT(diagnose(walk(16, 32, 4096, 2, 8000)).findings, IsEmpty());
}

Trace samples(Service service, uint32_t latency, int share) {
  Trace trace;
  for (int i = 0; i < 4000; ++i) {
    const auto cpu = uint16_t(i % 2);
    const bool other = i % 10 < share;
    trace.push_back(
        other ? answered(uint64_t(100 * i), cpu, 0x400000 + 64u * unsigned(i), service, latency)
              : answered(uint64_t(100 * i), cpu, 0x10000u * (1u + cpu), Service::L1, 4));
    if (i % 5 == 0)
      trace.back().type = AccessType::Store;
  }
  return trace;
}

TEST(Causes, MemoryOfTheOtherNodeIsPlacement) {
  const finding::Diagnosis d = diagnose(samples(Service::RemoteMemory, 320, 5));
  ASSERT_FALSE(d.findings.empty()) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "remote memory");
  // 2,000 accesses that took 120 more than local memory would have: 320 / 1.6.
  EXPECT_EQ(evidence(d.findings[0], "cycles lost"), 2000 * 120);
}

TEST(Causes, LocalMemoryAtItsUnloadedLatencyIsHealthy) {
  EXPECT_EQ(diagnose(samples(Service::LocalMemory, 100, 1)).outcome, finding::Outcome::Healthy);
}

TEST(Causes, NoCycleIsBlamedTwice) {
  Trace trace = calm(20000);
  add_meetings(trace, 200, 20, 4);
  for (int i = 0; i < 100; ++i)
    trace.push_back(delayed(
        20000 + uint64_t(10 * i),
        uint16_t(i % 2),
        0x80000 + 4096u * unsigned(i),
        31,
        30,
        0,
        DelayCause::Bank));
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.findings.size(), 2u);
  double blamed = 0;
  double scores = 0;
  for (const finding::Finding& f : d.findings) {
    blamed += evidence(f, "cycles lost");
    scores += f.score;
  }
  EXPECT_EQ(blamed, 200 * 20 + 100 * 30);
  EXPECT_NEAR(scores, 1, 1e-9);
  EXPECT_GE(d.findings[0].score, d.findings[1].score);
}

// A loss at the border is reported, one cycle less is not.
TEST(Causes, TheLeastLossIsInside) {
  Trace trace = calm(20000);
  add_meetings(trace, 200, 20, 4);  // 4,000 cycles of 2 x 19,991
  const double share = 4000.0 / (2 * 19991);
  ContentionOptions options;
  options.least_loss = share;
  EXPECT_EQ(diagnose(trace, options).findings.size(), 1u);
  options.least_loss = share * 1.0001;
  EXPECT_TRUE(diagnose(trace, options).findings.empty());
}

// Samples of loads: another cache answered `peers` of them, all on the same word.
Trace shared_loads(int peers) {
  Trace trace;
  for (int i = 0; i < 2000; ++i) {
    const auto cpu = uint16_t(i % 2);
    const bool peer = i % 10 == 0 && i / 10 < peers;
    trace.push_back(
        answered(uint64_t(100 * i), cpu, 0x4000, peer ? Service::LocalPeer : Service::L1, peer ? 200 : 4));
  }
  return trace;
}

TEST(Causes, LoadsThatOtherCachesAnsweredAreEvidence) {
  for (const int peers : {int(tuning::kLeastMeetings) - 1, int(tuning::kLeastMeetings)}) {
    Trace trace = shared_loads(peers);
    for (size_t i = 5; i < trace.size(); i += 10)
      trace[i].type = AccessType::Store;
    const finding::Diagnosis d = diagnose(trace);
    ASSERT_EQ(d.findings.size(), peers == int(tuning::kLeastMeetings) ? 1u : 0u) << d.verdict;
    if (d.findings.empty())
      continue;
    EXPECT_EQ(d.findings[0].category, "true sharing");
    EXPECT_EQ(evidence(d.findings[0], "accesses that another CPU had taken the line from"), peers);
    EXPECT_EQ(evidence(d.findings[0], "cycles lost"), peers * 196);
  }
}

// The levels are told, and nobody was served by another cache: however slow, the line is not fought over.
TEST(Causes, WithoutAPeerToldLinesAreNotShared) {
  Trace trace = shared_loads(200);
  for (AccessRecord& r : trace) {
    if (r.service == Service::LocalPeer)
      r.service = Service::L3;
  }
  for (size_t i = 5; i < trace.size(); i += 10)
    trace[i].type = AccessType::Store;
  for (const finding::Finding& f : diagnose(trace).findings)
    EXPECT_NE(f.category, "true sharing");
}

// Where nobody tells who delayed whom, a line is accused only when its accesses are high more often than
// others.
TEST(Causes, LatenciesAloneMustPassTheExactTest) {
  for (const bool slower : {true, false}) {
    Trace trace;
    for (uint64_t i = 0; i < 4000; ++i) {
      const auto cpu = uint16_t(i % 2);
      AccessRecord r =
          hit(10 * i, cpu, i % 4 < 2 ? 0x4000 + 4u * cpu : 0x100000u * (1u + cpu) + 64 * (i % 50));
      r.flags = 0;
      r.type = AccessType::Store;
      const bool high = slower ? i % 4 < 2 : i % 8 < 4;
      r.latency = high ? 60 + uint32_t(i % 7) : 5;
      trace.push_back(r);
    }
    const finding::Diagnosis d = diagnose(trace);
    EXPECT_EQ(d.findings.empty(), !slower) << d.verdict;
    if (slower) {
      ASSERT_FALSE(d.findings.empty());
      EXPECT_EQ(d.findings[0].category, "false sharing");
      EXPECT_LT(evidence(d.findings[0], "probability of as many high latencies by chance"), 0.001);
    }
  }
}

TEST(Causes, FindingsTellEachUserCostliestFirst) {
  Trace trace = calm(20000);
  add_meetings(trace, 200, 20, 4);
  for (AccessRecord& r : trace) {
    if (r.address == 0x4004 && r.blamed > 0)
      r.pc = 0x7000;
  }
  trace.push_back(delayed(20000, 1, 0x4004, 501, 500, 0));
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.findings.size(), 1u);
  std::vector<std::string> users;
  for (const finding::Evidence& e : d.findings[0].evidence) {
    if (e.text.starts_with("CPU "))
      users.push_back(e.text);
  }
  ASSERT_EQ(users.size(), 2u);
  EXPECT_THAT(users[0], HasSubstr("CPU 1 at +4 (0x4004): 0 reads, 101 writes"));
  EXPECT_THAT(users[1], HasSubstr("CPU 0 at +0 (0x4000): 0 reads, 100 writes in code at 0x1000 0x1000"));
}

// Stores under a lock move with its line: one finding, whose cost is that of both.
TEST(Causes, WhatALockGuardsIsNoCauseOfItsOwn) {
  Trace trace = calm(20000);
  for (uint64_t i = 0; i < 400; ++i) {
    const auto cpu = uint16_t(i % 2);
    const bool locks = i % 4 < 2;
    AccessRecord r = delayed(45 * i, cpu, locks ? 0x4000 : 0x9000, 21, 20, uint16_t(1 - cpu));
    if (locks)
      r.type = AccessType::Atomic;
    else
      r.flags |= AccessRecord::kGuarded;
    trace.push_back(r);
    if (locks) {
      r.type = AccessType::Store;
      r.cycle += 22;
      r.blamed = 0, r.latency = 1, r.cause = DelayCause::None;
      trace.push_back(r);
    }
  }
  test::sort(trace);
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "lock");
  EXPECT_NEAR(*d.findings[0].lost_share, 400 * 20 / (2 * 19991.0), 0.001);
  EXPECT_EQ(evidence(d.findings[0], "which it guards"), 200 * 20);
}

TEST(Causes, EachHasItsRemedy) {
  Trace trace = calm(20000);
  add_meetings(trace, 200, 20, 4);
  EXPECT_THAT(diagnose(trace).findings.at(0).next_step, HasSubstr("pad or align"));
  Trace same = calm(20000);
  add_meetings(same, 200, 20, 0);
  EXPECT_THAT(diagnose(same).findings.at(0).next_step, HasSubstr("its own copy"));
  EXPECT_THAT(diagnose(walk(128, 4, 128, 2)).findings.at(0).next_step, HasSubstr("fit the cache"));
  EXPECT_THAT(diagnose(walk(16, 32, 4096, 2)).findings.at(0).next_step, HasSubstr("pad the stride"));
  EXPECT_THAT(
      diagnose(samples(Service::RemoteMemory, 320, 5)).findings.at(0).next_step,
      HasSubstr("node that uses it"));
}

// Local memory at 1.5 times its unloaded latency is a queue; just below it is not.
TEST(Causes, LoadedMemoryIsSaturation) {
  for (const auto& [loaded, found] : {std::pair{151u, true}, std::pair{149u, false}}) {
    Trace trace;
    for (int i = 0; i < 4000; ++i) {
      const auto cpu = uint16_t(i % 2);
      const bool memory = i % 10 < 4;
      const uint32_t latency = i % 100 < 20 ? 100 : loaded;
      trace.push_back(
          memory
              ? answered(uint64_t(100 * i), cpu, 0x400000 + 64u * unsigned(i), Service::LocalMemory, latency)
              : answered(uint64_t(100 * i), cpu, 0x10000u * (1u + cpu), Service::L1, 4));
      if (i % 5 == 0)
        trace.back().type = AccessType::Store;
    }
    const finding::Diagnosis d = diagnose(trace);
    const bool saturated = std::ranges::any_of(d.findings, [](const finding::Finding& f) {
      return f.category == "saturation";
    });
    EXPECT_EQ(saturated, found) << loaded << ": " << d.verdict;
  }
}

}  // namespace
}  // namespace lento::memory

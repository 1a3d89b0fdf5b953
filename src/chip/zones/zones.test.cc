#include "chip/zones/zones.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::chip {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Made {
  int cores = 16;
  int repeats = 30;
  double slow = 1;      // core 5
  double noise = 0.05;  // of a record
  double own = 0.01;    // between cores
  bool unlike = false;  // every core has another amount of work
  double longer = 1;    // work of core 5 in a further zone
  int others = 0;       // zones that are never slow
  double late = 1;      // slowness of core 5 in the last 30 % of its rounds
  double spike = 1;     // of one computation of core 5
  double tail = 0;      // share of computations of any core that take twice as long
  uint64_t step = 1;    // of the timer
};

// Two zones a round on each core: one that computes and one that moves data, which a slow core does not slow.
TransferTrace trace_of(const Made& made, uint64_t seed) {
  base::Rng rng(seed, "zones.test");
  base::Rng work(1, "zones.test.work");  // the program is the same in every run
  TransferTrace out;
  const uint32_t compute = out.name_id("MATMUL");
  const uint32_t all = out.name_id("KERNEL");
  for (int core = 0; core < made.cores; ++core) {
    TransferStream& stream = out.streams.emplace_back();
    stream.core = {0, core % 4, core / 4};
    stream.processor = out.name_id("TRISC_0");
    const double own = std::exp(rng.normal(0, made.own)) * (core == 5 ? made.slow : 1) *
                       (made.unlike ? std::exp(work.normal(0, 0.5)) : 1);
    uint64_t now = rng.below(1'000'000);
    for (int i = 0; i < made.repeats; ++i) {
      double cycles = 20'000 * (1 + 0.3 * (i % 3)) * own * std::exp(rng.normal(0, made.noise));
      if (core == 5)
        cycles *= (10 * i >= 7 * made.repeats ? made.late : 1) * (i == 10 ? made.spike : 1);
      if (rng.uniform() < made.tail)
        cycles *= 2;
      stream.records.push_back({.begin = now, .kind = TransferKind::Zone, .name = all});
      stream.records.push_back({.begin = now + 50, .kind = TransferKind::Zone, .name = compute});
      now += 50 + uint64_t(cycles);
      stream.records.push_back({.begin = now, .kind = TransferKind::ZoneEnd, .name = compute});
      now += 200;
      const uint32_t move = out.name_id("MOVE");
      stream.records.push_back({.begin = now, .kind = TransferKind::Zone, .name = move});
      now += uint64_t(9'000 * own * (core == 5 ? made.longer : 1) * std::exp(rng.normal(0, made.noise)));
      stream.records.push_back({.begin = now, .kind = TransferKind::ZoneEnd, .name = move});
      stream.records.push_back({.begin = now, .kind = TransferKind::ZoneEnd, .name = all});
      for (int other = 0; other < made.others; ++other) {
        const uint32_t name = out.name_id("OTHER" + std::to_string(other));
        stream.records.push_back({.begin = now, .kind = TransferKind::Zone, .name = name});
        now += uint64_t(5'000 * std::exp(rng.normal(0, made.noise)));
        stream.records.push_back({.begin = now, .kind = TransferKind::ZoneEnd, .name = name});
      }
    }
    for (TransferRecord& r : stream.records)
      r.begin -= r.begin % made.step;
  }
  return out;
}

TEST(Zones, ASlowCoreIsNamedAndNoHealthyOne) {
  for (const int cores : {16, 64}) {
    int named = 0;
    int covered = 0;
    int accused = 0;
    constexpr int kRuns = 100;
    for (uint64_t seed = 1; seed <= kRuns; ++seed) {
      const ZoneJudgement slow = judge_zones(trace_of({.cores = cores, .slow = 1.3}, seed));
      ASSERT_TRUE(slow.judged);
      named += slow.suspects.size() == 1 && slow.suspects[0].core == Place{0, 1, 1};
      if (!slow.suspects.empty())
        covered += slow.suspects[0].low <= 1.3 && 1.3 <= slow.suspects[0].high;
      accused += !judge_zones(trace_of({.cores = cores}, 1000 + seed)).suspects.empty();
    }
    EXPECT_GE(named, 95);
    EXPECT_GE(covered, 80);
    EXPECT_LE(accused, 1);
  }
}

// MATMUL and KERNEL of core 5 are longer, and its MOVE is not.
TEST(Zones, ACoreLongerInSomeZonesHadOtherWork) {
  const Made other{.slow = 1.5, .longer = 1 / 1.5};
  const ZoneJudgement v = judge_zones(trace_of(other, 1));
  ASSERT_TRUE(v.judged);
  EXPECT_THAT(v.suspects, IsEmpty());
  ASSERT_EQ(v.unclear.size(), 1U);
  EXPECT_EQ(v.unclear[0].core, (Place{0, 1, 1}));
  EXPECT_EQ(v.unclear[0].zones, 2U);
  EXPECT_EQ(v.unclear[0].judged_zones, 3U);
  const TransferTrace earlier = trace_of({}, 2);
  EXPECT_EQ(judge_zones(trace_of(other, 1), {.earlier = &earlier}).suspects.size(), 1U);
}

// A part of a core may be slow, so that few of its zones are. Beside peers it may have had other work.
TEST(Zones, ACoreLongerInFewOfItsZonesIsNoAllClear) {
  const Made few{.longer = 2, .others = 5};
  const ZoneJudgement v = judge_zones(trace_of(few, 1));
  EXPECT_THAT(v.suspects, IsEmpty());
  ASSERT_EQ(v.unclear.size(), 1U);
  EXPECT_EQ(v.unclear[0].zone, "MOVE");
  EXPECT_EQ(v.unclear[0].judged_zones, 8U);
  const TransferTrace earlier = trace_of({.others = 5}, 2);
  const ZoneJudgement beside = judge_zones(trace_of(few, 1), {.earlier = &earlier});
  ASSERT_EQ(beside.suspects.size(), 1U);
  EXPECT_NEAR(beside.suspects[0].factor, 2, 0.2);
}

// Core 5 is x1.5 in the last nine of its 30 rounds, so that its median record is as long as those of peers.
TEST(Zones, ACoreThatBecameSlowIsNamedWithItsRecords) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Made late{.noise = 0.02, .late = 1.5};
    late.longer = 1;
    TransferTrace trace = trace_of(late, seed);
    for (TransferStream& stream : trace.streams)
      std::erase_if(stream.records, [&](const TransferRecord& r) {
        return trace.names[r.name] != "MATMUL";
      });
    const ZoneJudgement v = judge_zones(trace);
    ASSERT_EQ(v.suspects.size(), 1U);
    EXPECT_EQ(v.suspects[0].core, (Place{0, 1, 1}));
    EXPECT_NEAR(v.suspects[0].factor, 1.5, 0.1);
    EXPECT_NEAR(double(v.suspects[0].first), 21, 1);
    EXPECT_EQ(v.suspects[0].last, 30U);
  }
}

// One computation takes 40 times as long, and with it the core more than twice as long as its peers.
TEST(Zones, ASingleDelayIsNeitherASlowCoreNorAnAllClear) {
  const TransferTrace earlier = trace_of({}, 2);
  for (const TransferTrace* before : {static_cast<const TransferTrace*>(nullptr), &earlier}) {
    const ZoneJudgement v = judge_zones(trace_of({.spike = 40}, 1), {.earlier = before});
    EXPECT_THAT(v.suspects, IsEmpty());
    ASSERT_EQ(v.unclear.size(), 1U);
    EXPECT_FALSE(v.unclear[0].ranked);
    EXPECT_GT(v.unclear[0].factor, 1.8);
  }
}

TEST(Zones, HealthyCoresWithSomeLongRecordsStayQuiet) {
  size_t unclear = 0;
  constexpr uint64_t kRuns = 100;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    const ZoneJudgement v =
        judge_zones(trace_of({.cores = 56, .repeats = 12, .noise = 0.01, .tail = 0.05}, seed));
    EXPECT_THAT(v.suspects, IsEmpty());
    unclear += !v.unclear.empty();
  }
  EXPECT_LE(unclear, 2U);
}

TEST(Zones, ATileWithoutRecordsAmongOthersIsNamed) {
  TransferTrace trace = trace_of({}, 1);
  trace.streams.erase(trace.streams.begin() + 6);
  const ZoneJudgement v = judge_zones(trace);
  ASSERT_EQ(v.silent.size(), 1U);
  EXPECT_EQ(v.silent[0], (Place{0, 2, 1}));
  trace.streams.erase(trace.streams.begin() + 5);
  EXPECT_THAT(judge_zones(trace).silent, IsEmpty()) << "a row with two tiles less is another shape";
  const TransferTrace earlier = trace_of({}, 2);
  EXPECT_EQ(judge_zones(trace, {.earlier = &earlier}).silent.size(), 2U);
}

// Steps of 4096 cycles hide in the median what the mean of the durations shows.
TEST(Zones, ACoarseTimerWidensTheInterval) {
  int covered = 0;
  constexpr int kRuns = 40;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    const ZoneJudgement v =
        judge_zones(trace_of({.repeats = 60, .slow = 1.3, .noise = 0.02, .step = 4096}, seed));
    ASSERT_EQ(v.suspects.size(), 1U);
    EXPECT_LT(v.suspects[0].low, v.suspects[0].high);
    covered += v.suspects[0].low <= 1.3 && 1.3 <= v.suspects[0].high;
  }
  EXPECT_GE(covered, 30);
}

// Each core of `of` repeats its last zones `times` times.
TransferTrace repeated(TransferTrace trace, std::initializer_list<size_t> of, int times) {
  for (const size_t core : of) {
    auto& records = trace.streams[core].records;
    const auto once = records;
    const uint64_t length = once.back().begin - once.front().begin + 1000;
    for (int i = 1; i < times; ++i) {
      for (auto r : once) {
        r.begin += uint64_t(i) * length;
        records.push_back(r);
      }
    }
  }
  return trace;
}

// Core 5 and six others took twice as many rounds as the rest. They are compared among themselves.
TEST(Zones, CoresThatRanAZoneMoreOftenAreCompared) {
  const ZoneJudgement slow =
      judge_zones(repeated(trace_of({.cores = 24, .slow = 1.4}, 1), {3, 5, 8, 12, 17, 20, 23}, 2));
  ASSERT_EQ(slow.suspects.size(), 1U);
  EXPECT_EQ(slow.suspects[0].core, (Place{0, 1, 1}));
  EXPECT_TRUE(
      judge_zones(repeated(trace_of({.cores = 24}, 1), {3, 5, 8, 12, 17, 20, 23}, 2)).suspects.empty());
  // Without peers that ran it as often, a slow core may have had other work.
  const ZoneJudgement alone = judge_zones(repeated(trace_of({.cores = 24, .slow = 1.4}, 1), {5}, 2));
  EXPECT_THAT(alone.suspects, IsEmpty());
  EXPECT_EQ(alone.unclear.size(), 1U);
}

TEST(Zones, TwoHalvesAccuseNobody) {
  TransferTrace trace = trace_of({.cores = 32, .noise = 0.005, .own = 0.001}, 3);
  for (size_t core = 16; core < 32; ++core)
    for (auto& r : trace.streams[core].records)
      r.begin += r.begin / 4;
  const ZoneJudgement v = judge_zones(trace);
  EXPECT_FALSE(v.judged);
  EXPECT_THAT(v.suspects, IsEmpty());
}

// 5 % is within what healthy cores differ by.
TEST(Zones, ASmallDifferenceIsNoFinding) {
  for (uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_THAT(judge_zones(trace_of({.slow = 1.05}, seed)).suspects, IsEmpty());
}

TEST(Zones, CoresOfUnlikeWorkAreNotJudgedBesideOneAnother) {
  const ZoneJudgement v = judge_zones(trace_of({.slow = 1.3, .unlike = true}, 1));
  EXPECT_FALSE(v.judged);
  EXPECT_THAT(v.reason, HasSubstr("differ so much"));
  EXPECT_THAT(v.suspects, IsEmpty());
}

TEST(Zones, WithAnEarlierRunEachCoreIsItsOwnPeer) {
  const TransferTrace earlier = trace_of({.unlike = true}, 1);
  const ZoneJudgement v = judge_zones(trace_of({.slow = 1.3, .unlike = true}, 2), {.earlier = &earlier});
  ASSERT_TRUE(v.judged) << v.reason;
  ASSERT_EQ(v.suspects.size(), 1U);
  EXPECT_EQ(v.suspects[0].core, (Place{0, 1, 1}));
  EXPECT_NEAR(v.suspects[0].factor, 1.3, 0.08);
  EXPECT_NEAR(v.common.at(0), 1, 0.03);
}

// Chip 1 runs at 3/4 of its clock. Its cores are like one another, and one of chip 0 is slow.
TEST(Zones, WithAnEarlierRunEachChipHasItsOwnMiddle) {
  const auto two_chips = [](double slow, double chip_slow, uint64_t seed) {
    TransferTrace out = trace_of({.slow = slow}, seed);
    TransferTrace other = trace_of({}, seed + 50);
    for (TransferStream& stream : other.streams) {
      stream.core.chip = 1;
      for (TransferRecord& r : stream.records)
        r.begin = uint64_t(double(r.begin) * chip_slow);
      out.streams.push_back(std::move(stream));
    }
    return out;
  };
  const TransferTrace earlier = two_chips(1, 1, 1);
  const ZoneJudgement v = judge_zones(two_chips(1.4, 4.0 / 3, 2), {.earlier = &earlier});
  ASSERT_TRUE(v.judged) << v.reason;
  ASSERT_EQ(v.suspects.size(), 1U);
  EXPECT_EQ(v.suspects[0].core, (Place{0, 1, 1}));
  EXPECT_NEAR(v.common.at(0), 1, 0.03);
  EXPECT_NEAR(v.common.at(1), 4.0 / 3, 0.03);
}

// As many cycles at a lower clock are more time.
TEST(Zones, AStatedClockTurnsCyclesIntoTime) {
  TransferTrace earlier = trace_of({}, 1);
  TransferTrace later = trace_of({}, 2);
  earlier.clock_hz[0] = 1.35e9;
  EXPECT_NEAR(judge_zones(later, {.earlier = &earlier}).common.at(0), 1, 0.03);
  later.clock_hz[0] = 0.8e9;
  EXPECT_NEAR(judge_zones(later, {.earlier = &earlier}).common.at(0), 1.35 / 0.8, 0.03);
}

TEST(Zones, ZonesThatOnlyOneRunHasAreCounted) {
  const TransferTrace earlier = trace_of({}, 1);
  TransferTrace later = trace_of({}, 2);
  EXPECT_EQ(judge_zones(later, {.earlier = &earlier}).unmatched, 0U);
  for (TransferStream& stream : later.streams)
    stream.records.pop_back();
  EXPECT_GT(judge_zones(later, {.earlier = &earlier}).unmatched, 0U);
}

// One core is compared with its earlier run, and so are few. All of them together are the chip.
TEST(Zones, FewCoresAreComparedWithTheirEarlierRun) {
  const TransferTrace earlier = trace_of({.cores = 3}, 1);
  const auto times = [&](std::initializer_list<size_t> cores, uint64_t seed) {
    TransferTrace out = trace_of({.cores = 3}, seed);
    for (const size_t core : cores)
      for (TransferRecord& r : out.streams[core].records)
        r.begin *= 3;
    return judge_zones(out, {.earlier = &earlier});
  };
  for (uint64_t seed = 2; seed < 52; ++seed)
    EXPECT_THAT(times({}, seed).suspects, IsEmpty());
  const ZoneJudgement one = times({1}, 2);
  ASSERT_EQ(one.suspects.size(), 1U);
  EXPECT_EQ(one.suspects[0].core, (Place{0, 1, 0}));
  EXPECT_NEAR(one.suspects[0].factor, 3, 0.1);
  EXPECT_EQ(one.common.at(0), 1);
  const ZoneJudgement all = times({0, 1, 2}, 2);
  EXPECT_THAT(all.suspects, IsEmpty());
  EXPECT_NEAR(all.common.at(0), 3, 0.1);
}

TEST(Zones, TooFewCoresOrOpenZonesAreNoBasis) {
  EXPECT_FALSE(judge_zones(trace_of({.cores = 3}, 1)).judged);
  TransferTrace open = trace_of({}, 1);
  for (TransferStream& stream : open.streams)
    std::erase_if(stream.records, [](const TransferRecord& r) {
      return r.kind == TransferKind::ZoneEnd;
    });
  EXPECT_FALSE(judge_zones(open).judged);
  EXPECT_FALSE(judge_zones({}).judged);
}

}  // namespace
}  // namespace lento::chip

#include "evidence/physics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::evidence {
namespace {

// Cores that work back to back with short pauses; stamps start at `origin`.
std::vector<TimedRecord> healthy(uint64_t seed, size_t cores, size_t each, int64_t origin = 0) {
  base::Rng rng(seed, "physics");
  std::vector<TimedRecord> out;
  for (uint32_t c = 0; c < cores; ++c) {
    int64_t now = origin;
    for (size_t i = 0; i < each; ++i) {
      now += 1 + int64_t(rng.exponential(20));
      const int64_t end = now + 1 + int64_t(rng.exponential(100));
      out.push_back({c, now, end, double(end - now) * 4, rng.next()});
      now = end;
    }
  }
  return out;
}

TEST(Physics, HealthyRecordsAllStayWhereverTheClockStarts) {
  for (const int64_t origin :
       {int64_t{0}, int64_t{1} << 32, int64_t{1} << 40, INT64_MAX - 1'000'000, INT64_MIN}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Screening s = screen(healthy(seed, 8, 100, origin), {.most_per_tick = 4});
      EXPECT_EQ(s.count[size_t(Flaw::None)], 800u);
      EXPECT_TRUE(s.can_judge) << s.why_not;
      EXPECT_EQ(s.share_set_aside, 0);
    }
  }
}

TEST(Physics, EachImpossibleRecordIsSetAsideAlone) {
  const std::vector<TimedRecord> well = healthy(1, 4, 50);
  const auto flaw_of = [&](TimedRecord bad) {
    std::vector<TimedRecord> records = well;
    records.push_back(bad);
    const Screening s = screen(records, {.most_per_tick = 4});
    EXPECT_EQ(s.count[size_t(Flaw::None)], well.size() + (s.flaw.back() == Flaw::None));
    EXPECT_TRUE(s.can_judge);
    return s.flaw.back();
  };
  EXPECT_EQ(flaw_of({9, 500, 400, 1}), Flaw::EndsBeforeItBegins);
  EXPECT_EQ(flaw_of(well[7]), Flaw::Repeated);
  EXPECT_EQ(flaw_of({9, int64_t{1} << 50, (int64_t{1} << 50) + 5, 1}), Flaw::FarAway);
  EXPECT_EQ(flaw_of({9, 500, int64_t{1} << 50, 1}), Flaw::FarAway);
  EXPECT_EQ(flaw_of({9, INT64_MIN, INT64_MAX, 1}), Flaw::FarAway);
  EXPECT_EQ(flaw_of({9, 500, 510, 41}), Flaw::Impossible);
  EXPECT_EQ(flaw_of({9, 500, 500, 1}), Flaw::Impossible);
  EXPECT_EQ(flaw_of({9, 500, 510, -1}), Flaw::Impossible);
  EXPECT_EQ(flaw_of({9, 500, 510, 0.0 / 0.0}), Flaw::Impossible);
  EXPECT_EQ(flaw_of({9, 500, 510, 0}), Flaw::None);
  EXPECT_EQ(flaw_of({2, 0, 5000, 0}), Flaw::Overlaps);
}

TEST(Physics, WorkThatIsNoneIsImpossibleWhereAllWork) {
  const std::vector<TimedRecord> records{{0, 0, 10, 5}, {0, 10, 20, 0}, {0, 20, 30, HUGE_VAL}};
  const Screening s = screen(records, {.always_works = true});
  EXPECT_EQ(s.flaw, (std::vector{Flaw::None, Flaw::Impossible, Flaw::Impossible}));
}

TEST(Physics, OfTwoThatContradictEachOtherBothGo) {
  const std::vector<TimedRecord> records{{0, 0, 10}, {0, 8, 20}, {0, 30, 40}, {1, 5, 35}};
  const Screening s = screen(records, {.most_set_aside = 1});
  EXPECT_EQ(s.flaw, (std::vector{Flaw::Overlaps, Flaw::Overlaps, Flaw::None, Flaw::None}));
  // Rounded stamps, and links that interleave, do not contradict.
  EXPECT_EQ(screen(records, {.tolerance = 2}).count[size_t(Flaw::Overlaps)], 0u);
  EXPECT_EQ(screen(records, {.one_at_a_time = false}).count[size_t(Flaw::Overlaps)], 0u);
}

TEST(Physics, AFileWrittenTwiceIsJudgedOnceAndADamagedOneIsNot) {
  std::vector<TimedRecord> records = healthy(2, 4, 50);
  const std::vector<TimedRecord> again = records;
  records.insert(records.end(), again.begin(), again.end());
  const Screening twice = screen(records, {});
  EXPECT_EQ(twice.count[size_t(Flaw::Repeated)], 200u);
  EXPECT_TRUE(twice.can_judge);
  records.resize(200);
  for (size_t i = 0; i < 20; ++i)
    records[i * 7].end = records[i * 7].begin - 1;
  const Screening damaged = screen(records, {});
  EXPECT_FALSE(damaged.can_judge);
  EXPECT_EQ(damaged.why_not, "20 of 200 records cannot be true");
  EXPECT_FALSE(screen({}, {}).can_judge);
}

TEST(Physics, AClockThatJumpsIsNoMeasureOfTime) {
  std::vector<TimedRecord> records = healthy(3, 4, 100);
  for (size_t i = 0; i < records.size(); ++i) {
    if (i % 100 >= 50) {
      records[i].begin += 10'000'000;
      records[i].end += 10'000'000;
    }
  }
  const Screening s = screen(records, {});
  EXPECT_EQ(s.count[size_t(Flaw::FarAway)], 0u);
  EXPECT_EQ(s.jumps, 1u);
  EXPECT_FALSE(s.can_judge);
}

TEST(FarAway, OnlyFewAndOnlyFarOnes) {
  const std::vector<int64_t> times{100, 110, 120, 130, 231};
  EXPECT_EQ(far_away(times, 0.2), (std::vector<char>{0, 0, 0, 0, 1}));
  EXPECT_EQ(far_away(times, 0.1), std::vector<char>(5, 0));  // one of five is more than a tenth
  EXPECT_EQ(far_away(std::vector<int64_t>{100, 110, 120, 130, 160}, 0.2), std::vector<char>(5, 0));
  EXPECT_TRUE(far_away({}, 0.1).empty());
  std::vector<int64_t> hostile;
  for (int i = 0; i < 62; ++i)
    hostile.push_back(int64_t{1} << i);
  hostile.push_back(INT64_MIN);
  EXPECT_EQ(far_away(hostile, 1).size(), hostile.size());
}

TEST(Silences, ChanceExplainsThoseOfAHealthyFile) {
  size_t files = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Rng rng(seed, "silence");
    std::vector<int64_t> times{0};
    for (int i = 0; i < 1000; ++i)
      times.push_back(times.back() + int64_t(rng.exponential(1000)) * (i % 10 == 0 ? 20 : 1));  // bursts
    files += !unusual_silences(times).empty();
    times.push_back(times.back() + 2'000'000);
    times.push_back(times.back() + 5);
    const std::vector<Silence> found = unusual_silences(times);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back().end, times[1001]);
  }
  EXPECT_LE(files, 6u);
}

}  // namespace
}  // namespace lento::evidence

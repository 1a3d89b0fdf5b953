// The parts that a recorder is made of: levels, patterns, time bins, capacities.
#include "chip/sketch/core_sketch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

using base::Rng;

TEST(Level, NeverFallsAndRisesByAnOctaveWhenDoubled) {
  Rng rng(1, "level");
  int before = 0;
  for (uint64_t x = 1; x < 5000; ++x) {
    EXPECT_GE(log2_fixed(x), before) << x;
    before = log2_fixed(x);
  }
  for (int i = 0; i < 1000; ++i) {
    const uint64_t x = 256 + rng.below(uint64_t{1} << 40);
    EXPECT_EQ(log2_fixed(2 * x), log2_fixed(x) + kLevelsPerOctave);
  }
}

TEST(Level, DependsOnTheRatioOfCyclesAndWork) {
  Rng rng(2, "ratio");
  for (int i = 0; i < 500; ++i) {
    const uint64_t cycles = 1000 + rng.below(1000000);
    const uint64_t work = 1000 + rng.below(1000000);
    for (const ProbeKind kind : {ProbeKind::Compute, ProbeKind::Message}) {
      const int level = level_of(kind, cycles, work);
      EXPECT_NEAR(level, level_of(kind, 8 * cycles, 8 * work), 2);
      if (level == 1 || level == kMaxLevel)
        continue;  // beyond what is stored
      EXPECT_NEAR(level_of(kind, 2 * cycles, work), std::min(level + kLevelsPerOctave, kMaxLevel), 2);
      EXPECT_NEAR(cycles_per_work(kind, level) / (double(cycles) / double(work)), 1, 0.02);
    }
  }
}

TEST(Level, StaysWithinTwelveBits) {
  EXPECT_EQ(level_of(ProbeKind::Compute, 1, UINT64_MAX), 1);
  EXPECT_EQ(level_of(ProbeKind::Message, UINT64_MAX, 1), kMaxLevel);
  EXPECT_EQ(level_of(ProbeKind::Message, 0, 0), level_of(ProbeKind::Message, 1, 1));
}

TEST(Pattern, PacksAndUnpacks) {
  Rng rng(3, "pattern");
  for (int i = 0; i < 500; ++i) {
    const Pattern pattern{ProbeKind(rng.below(4)), uint8_t(rng.below(64)), uint16_t(rng.next())};
    const Pattern back = Pattern::unpack(pattern.packed());
    EXPECT_EQ(back.kind, pattern.kind);
    EXPECT_EQ(back.octave, pattern.octave);
    EXPECT_EQ(back.subject, pattern.subject);
    EXPECT_NE(pattern.packed(), 0u) << "an empty slot is 0";
  }
}

TEST(Pattern, OfARecordIsItsKindPartnerAndSize) {
  ProbeRecord r;
  r.kind = ProbeKind::Message;
  r.peer = 9;
  r.layer = 4;
  for (int octave = 0; octave < 40; ++octave) {
    r.work = uint64_t{1} << octave;
    EXPECT_EQ(pattern_of(r).octave, octave);
    EXPECT_EQ(pattern_of(r).subject, 9);
    r.work = (uint64_t{2} << octave) - 1;
    EXPECT_EQ(pattern_of(r).octave, octave);
    EXPECT_EQ(pattern_of(r, 2).octave, octave / 2 * 2);
  }
  r.kind = ProbeKind::Compute;
  EXPECT_EQ(pattern_of(r).subject, 4);
  EXPECT_EQ(pattern_of(r).octave, 0);
}

TEST(TimeBin, KeepsMeanAndLowestOfWhatItWasGiven) {
  Rng rng(4, "bin");
  for (int run = 0; run < 100; ++run) {
    TimeBin bin;
    EXPECT_EQ(bin.count(), 0);
    double sum = 0;
    int lowest = kMaxLevel;
    const int n = 1 + int(rng.below(7));
    for (int i = 0; i < n; ++i) {
      const int level = 1000 + int(rng.below(2000));
      bin.add(level);
      sum += level;
      lowest = std::min(lowest, level);
    }
    EXPECT_EQ(bin.count(), n);
    EXPECT_NEAR(bin.mean(), sum / n, n);
    EXPECT_EQ(bin.lowest, lowest / 16);
  }
}

TEST(TimeBin, MergingTwoIsTheMeanByTheirCounts) {
  Rng rng(5, "merge");
  for (int run = 0; run < 200; ++run) {
    TimeBin a;
    TimeBin b;
    for (uint64_t i = rng.below(5); i > 0; --i)
      a.add(500 + int(rng.below(3000)));
    for (uint64_t i = rng.below(5); i > 0; --i)
      b.add(500 + int(rng.below(3000)));
    TimeBin merged = a;
    merged.merge(b);
    TimeBin other = b;
    other.merge(a);
    EXPECT_EQ(merged.count(), a.count() + b.count());
    if (merged.count() == 0)
      continue;
    const double expected = double(a.mean() * a.count() + b.mean() * b.count()) / merged.count();
    EXPECT_NEAR(merged.mean(), expected, 0.51);
    EXPECT_EQ(other.mean(), merged.mean());
    EXPECT_EQ(other.lowest, merged.lowest);
    const int low = std::min(a.count() ? a.lowest : 255, b.count() ? b.lowest : 255);
    EXPECT_EQ(merged.lowest, low);
  }
}

TEST(SketchShape, EveryCapacityCostsItsBytes) {
  const SketchShape base;
  const auto more = [&](auto change) {
    SketchShape shape = base;
    change(shape);
    return int64_t{shape.bytes()} - int64_t{base.bytes()};
  };
  EXPECT_EQ(
      more([](SketchShape& s) {
        ++s.episodes;
      }),
      16);
  // An entry a pattern; the index over them may grow too.
  EXPECT_GE(
      more([](SketchShape& s) {
        ++s.computes;
      }),
      24);
  EXPECT_GE(
      more([](SketchShape& s) {
        ++s.transfers;
      }),
      24 + 3 * 64);
  EXPECT_EQ(
      more([](SketchShape& s) {
        s.buckets = 16;
      }),
      2 * 8 * 16);
  EXPECT_EQ(
      more([](SketchShape& s) {
        s.bins = 128;
      }),
      16 * 64 * 3);
}

TEST(CoreSketch, TellsPatternsApart) {
  SketchShape shape;
  shape.hashes = shape.buckets = 0;
  CoreSketch sketch(shape, {});
  Rng rng(6, "apart");
  std::vector<uint32_t> count(8);
  for (int i = 0; i < 500; ++i) {
    ProbeRecord r;
    const auto which = uint16_t(rng.below(8));
    r.kind = which < 4 ? ProbeKind::Message : ProbeKind::Read;
    r.peer = uint16_t(which % 4);
    r.work = 5000;
    r.begin = uint64_t(i) * 1000;
    r.end = r.begin + 700;
    sketch.insert(r);
    ++count[which];
  }
  for (uint16_t which = 0; which < 8; ++which) {
    const SketchEntry* entry =
        sketch.find({which < 4 ? ProbeKind::Message : ProbeKind::Read, 12, uint16_t(which % 4)});
    ASSERT_NE(entry, nullptr) << which;
    EXPECT_EQ(entry->count, count[which]);
  }
  EXPECT_EQ(sketch.find({ProbeKind::Message, 12, 4}), nullptr);
  EXPECT_EQ(sketch.find({ProbeKind::Message, 11, 0}), nullptr);
  EXPECT_EQ(sketch.records(), 500u);
  EXPECT_EQ(sketch.evictions(), 0u);
  EXPECT_EQ(sketch.entries().size(), 8u);
}

TEST(CoreSketch, AHealthyCoreHasNoEpisode) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CoreSketch sketch;
    Rng rng(seed, "healthy");
    uint64_t t = 0;
    for (int i = 0; i < 2000; ++i) {
      ProbeRecord r;
      r.begin = t;
      r.work = 1024 * 1000;
      r.end = t + uint64_t(1000 * (1 + 0.0152 * rng.normal()));
      t = r.end + 100;
      sketch.insert(r);
    }
    EXPECT_TRUE(sketch.episodes().empty()) << seed;
  }
}

TEST(RecorderRate, IsTheCoresOwnUntilTheNoiseIsTooLarge) {
  EXPECT_EQ(recorder_rate(1024, 0), 1024);
  EXPECT_EQ(recorder_rate(1024, 0.0152), 1024);
  double before = 1024;
  for (const double deviation : {0.03, 0.05, 0.08, 0.1}) {
    const double rate = recorder_rate(1024, deviation);
    EXPECT_LT(rate, before) << deviation;
    EXPECT_GT(rate, 0.4 * 1024) << deviation;
    EXPECT_DOUBLE_EQ(recorder_rate(2048, deviation), 2 * rate) << deviation;
    before = rate;
  }
}

}  // namespace
}  // namespace lento::chip

#include "chip/detect/slow_cores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::chip {
namespace {

// Sixteen cores with 400 operations each of `work`, one after the other, at the chip's rate and its noise;
// core 5 is `factor` times slower from the 100th to the 300th, all cores `rate` times slower all along.
struct Made {
  double factor = 1;
  double rate = 1;
  uint64_t work = 1 << 20;
  uint64_t seed = 1;
};

Sketch made(const spec::Chip& chip, const Made& m) {
  SketchOptions options;
  options.ops_per_cycle = recorder_rate(chip.core.ops_per_cycle, chip.core.rate_deviation);
  Sketch sketch(std::vector<SketchShape>(16), options);
  base::Rng rng(m.seed, "slow_cores.test");
  for (uint16_t core = 0; core < 16; ++core) {
    uint64_t now = 0;
    for (int i = 0; i < 400; ++i) {
      const bool slow = core == 5 && i >= 100 && i < 300;
      const double rate = chip.core.ops_per_cycle * (1 + chip.core.rate_deviation * rng.normal());
      ProbeRecord r;
      r.begin = now;
      r.end = now += uint64_t(double(m.work) / rate * m.rate * (slow ? m.factor : 1));
      r.work = m.work;
      r.core = core;
      sketch.record(r);
    }
  }
  return sketch;
}

std::vector<Suspect> judged(const spec::Chip& chip, const Sketch& sketch, const Deviations* own = nullptr) {
  DetectOptions options;
  options.own = own;
  std::vector<std::string> notes;
  return slow_cores(sketch, chip, options, notes);
}

TEST(SlowCores, TheFactorAndItsTimeAreThoseOfTheFault) {
  const spec::Chip chip;
  for (const double factor : {1.5, 3.0, 10.0}) {
    const std::vector<Suspect> found = judged(chip, made(chip, {.factor = factor}));
    ASSERT_EQ(found.size(), 1u) << factor;
    EXPECT_EQ(found[0].component, (Component{Part::Core, 5, -1}));
    EXPECT_NEAR(found[0].factor, factor, 0.03 * factor);
    EXPECT_NEAR(double(found[0].begin), 100 * 1024, 2048);
    EXPECT_NEAR(double(found[0].end), (100 + 200 * factor) * 1024, 4096 * factor);
  }
}

// 16 * 400 operations a run: of 200 healthy runs none, at whatever noise the chip declares.
TEST(SlowCores, HealthyCoresAreNotAccusedAtTheNoiseThatTheyDeclare) {
  for (const double noise : {0.0, 0.0152, 0.05, 0.08, 0.1}) {
    spec::Chip chip;
    chip.core.rate_deviation = noise;
    int accused = 0;
    for (uint64_t seed = 0; seed < 40; ++seed)
      accused += !judged(chip, made(chip, {.seed = seed})).empty();
    EXPECT_EQ(accused, 0) << noise;
  }
}

TEST(SlowCores, AChipSlowAllOverIsJudgedCoreAgainstCore) {
  const spec::Chip chip;
  EXPECT_TRUE(judged(chip, made(chip, {.rate = 1.2})).empty());
  const std::vector<Suspect> found = judged(
      chip,
      made(
          chip,
          {
              .factor = 10,
              .rate = 1.2,
          }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].factor, 10, 0.5);
}

TEST(SlowCores, ATwinIsTakenAsItStands) {
  const spec::Chip file;
  spec::Chip slower = file;
  slower.core.ops_per_cycle /= 1.2;
  const Deviations none;
  const Sketch healthy = made(file, {.rate = 1.2});
  EXPECT_TRUE(judged(slower, healthy, &none).empty());
  EXPECT_EQ(
      judged(file, healthy, &none).size(),
      16u);  // against a file that is wrong, when told that it is right
  Deviations own;
  own.cores.assign(16, 1.2);
  EXPECT_TRUE(judged(file, healthy, &own).empty());
}

// Operations as they are told, without noise: what each verdict is made of then follows exactly.
struct Operation {
  uint16_t core = 0;
  uint32_t layer = 0;
  double factor = 1;
  uint64_t work = 1 << 20;
};

Sketch exact(const spec::Chip& chip, const std::vector<Operation>& operations, size_t cores = 4) {
  SketchOptions options;
  options.ops_per_cycle = chip.core.ops_per_cycle;
  Sketch sketch(std::vector<SketchShape>(cores), options);
  std::vector<uint64_t> now(cores);
  for (const Operation& o : operations) {
    ProbeRecord r;
    r.begin = now[o.core];
    r.end = now[o.core] += uint64_t(double(o.work) / chip.core.ops_per_cycle * o.factor);
    r.work = o.work;
    r.core = o.core;
    r.layer = o.layer;
    sketch.record(r);
  }
  return sketch;
}

// 100 operations of each of four cores; of core 2 those from the 20th to before the `end`th are slower.
std::vector<Operation> one_slow(double factor, int end = 60, double others = 1) {
  std::vector<Operation> out;
  for (uint16_t core = 0; core < 4; ++core)
    for (int i = 0; i < 100; ++i)
      out.push_back({core, 0, core == 2 && i >= 20 && i < end ? factor : others});
  return out;
}

spec::Chip noisy(double deviation) {
  spec::Chip chip;
  chip.core.rate_deviation = deviation;
  return chip;
}

// Each adds half the square of its deviations; a rate without noise is known to half a cycle of 64.
TEST(SlowCores, StrengthIsTheSumOverSlowOperations) {
  for (const double noise : {0.0, 0.04}) {
    const spec::Chip chip = noisy(noise);
    for (const double factor : {1.3, 3.0}) {
      const std::vector<Suspect> found = judged(chip, exact(chip, one_slow(factor)));
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].seen, 40u);
      EXPECT_NEAR(found[0].factor, factor, 0.01 * factor);
      const double z = (1 - 1 / found[0].factor) / std::max(noise, 0.5 / 64);
      EXPECT_NEAR(found[0].strength / (40 * z * z / 2), 1, 1e-9);
    }
  }
}

TEST(SlowCores, BelowATenthNobodyIsAccused) {
  const spec::Chip chip = noisy(0);
  EXPECT_TRUE(judged(chip, exact(chip, one_slow(1.09))).empty());
  EXPECT_EQ(judged(chip, exact(chip, one_slow(1.12))).size(), 1u);
}

// With a noise of 8 %, 4.5 deviations are a factor of 1 / (1 - 0.36) = 1.56; it never passes ten.
TEST(SlowCores, WhatNoiseMayDoIsNoEpisode) {
  const spec::Chip chip = noisy(0.08);
  EXPECT_TRUE(judged(chip, exact(chip, one_slow(1.4))).empty());
  EXPECT_EQ(judged(chip, exact(chip, one_slow(1.7))).size(), 1u);
  const spec::Chip wild = noisy(0.3);
  EXPECT_TRUE(judged(wild, exact(wild, one_slow(9))).empty());
  EXPECT_EQ(judged(wild, exact(wild, one_slow(11))).size(), 1u);
}

// 400 operations at a budget of 0.005: ln(80000) = 11.3 is needed, of two operations when one is left out.
TEST(SlowCores, EveryOperationIsAChanceToBeWrong) {
  const double of_rate = 1 - 1 / 1.25;
  const auto accused_at = [&](double strength) {
    const spec::Chip chip = noisy(of_rate / std::sqrt(2 * strength));
    return !judged(chip, exact(chip, one_slow(1.25, 22))).empty();
  };
  EXPECT_FALSE(accused_at(10.6));
  EXPECT_TRUE(accused_at(12));
}

TEST(SlowCores, OneRecordAccusesNobodyHoweverSlow) {
  const spec::Chip chip = noisy(0);
  for (const double factor : {2.0, 9.0}) {
    std::vector<std::string> notes;
    EXPECT_TRUE(slow_cores(exact(chip, one_slow(factor, 21)), chip, {}, notes).empty()) << factor;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0].find("core2 took "), 0u) << notes[0];
    EXPECT_EQ(judged(chip, exact(chip, one_slow(factor, 22))).size(), 1u) << factor;
  }
}

TEST(SlowCores, TwoStretchesAreOneCoreWithBoth) {
  const spec::Chip chip = noisy(0);
  std::vector<Operation> operations = one_slow(1);
  for (int i = 0; i < 100; ++i) {
    Operation& o = operations[size_t(200 + i)];
    o.factor = i >= 10 && i < 20 ? 2 : i >= 50 && i < 80 ? 4 : 1;
  }
  const std::vector<Suspect> found = judged(chip, exact(chip, operations));
  ASSERT_EQ(found.size(), 1u);
  const Suspect& s = found[0];
  ASSERT_EQ(s.slow_intervals.size(), 2u);
  const double tick = 1024;  // an operation takes as many cycles
  EXPECT_NEAR(double(s.begin), 10 * tick, tick);
  EXPECT_NEAR(double(s.end), (10 + 20 + 30 + 120) * tick, tick);
  EXPECT_NEAR(s.slow_intervals[0].factor, 2, 0.01);
  EXPECT_NEAR(s.slow_intervals[1].factor, 4, 0.02);
  EXPECT_NEAR(double(s.slow_intervals[1].begin), 60 * tick, tick);
  EXPECT_EQ(s.seen, 40u);
  EXPECT_NEAR(s.factor, std::exp2((10 * 1 + 30 * 2) / 40.0), 0.02);
  EXPECT_NEAR(s.lost_cycles, (20 * 0.5 + 120 * 0.75) * tick, 2 * tick);
  EXPECT_NEAR(s.score, 1 - std::exp(-s.strength / 100), 1e-9);
  ASSERT_FALSE(s.evidence.empty());
  EXPECT_EQ(s.evidence[0].text.find("40 operations"), 0u) << s.evidence[0].text;
  EXPECT_NEAR(*s.evidence[0].value, s.factor, 1e-9);
}

TEST(SlowCores, TheStrongestComesFirst) {
  const spec::Chip chip = noisy(0.04);
  std::vector<Operation> operations = one_slow(1.5);
  for (int i = 0; i < 60; ++i)
    operations[size_t(100 + i)].factor = 1.5;  // core 1, for longer
  const std::vector<Suspect> found = judged(chip, exact(chip, operations));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].component.index, 1);
  EXPECT_EQ(found[1].component.index, 2);
  EXPECT_GT(found[0].strength, found[1].strength);
}

// Layer 2 ran nowhere else, layer 0 was slowed less.
TEST(SlowCores, TheWorstLayerIsHeldAgainstItsPeers) {
  const spec::Chip chip = noisy(0);
  std::vector<Operation> operations;
  for (uint16_t core = 0; core < 4; ++core)
    for (int i = 0; i < 30; ++i) {
      const bool slow = core == 2;
      operations.push_back({core, 0, slow ? 1.5 : 1.0});
      operations.push_back({core, 1, slow ? 3.0 : 1.0});
      if (slow)
        operations.push_back({core, 2, 6});
    }
  const std::vector<Suspect> found = judged(chip, exact(chip, operations));
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].evidence.size(), 2u);
  const finding::Evidence& peers = found[0].evidence[1];
  EXPECT_EQ(peers.text, "mean service time in layer 1 against the median of 3 cores with the same layer");
  EXPECT_NEAR(*peers.value, 3, 0.03);
}

std::vector<std::string> notes_on(const spec::Chip& chip, const std::vector<Operation>& operations) {
  std::vector<std::string> notes;
  slow_cores(exact(chip, operations), chip, {}, notes);
  return notes;
}

// At two operations a cycle the scale of the recorder ends eight times above nominal, at three twelve times;
// at 12000 the level is 0.45 octaves above its end, at 15500 0.08, and the noise of a healthy operation is
// 0.1.
TEST(SlowCores, WhatTheRecorderCannotTellIsSaid) {
  const auto words = [](double rate) {
    spec::Chip chip;
    chip.core.ops_per_cycle = rate;
    const std::vector<std::string> notes = notes_on(chip, {{0, 0, 1}});
    return notes.empty() ? "" : notes[0];
  };
  EXPECT_NE(words(2).find("at most 7.9"), std::string::npos) << words(2);
  EXPECT_EQ(words(3), "");
  EXPECT_EQ(words(1024), "");
  EXPECT_EQ(words(12000), "");
  EXPECT_NE(words(15500).find("more than the recorder resolves"), std::string::npos) << words(15500);
}

TEST(SlowCores, ARateThatTheFileHasWrongIsSaidFromATwentiethOn) {
  const spec::Chip chip = noisy(0);
  EXPECT_TRUE(notes_on(chip, one_slow(1.03, 60, 1.03)).empty());
  const std::vector<std::string> notes = notes_on(chip, one_slow(1.08, 60, 1.08));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].find("most cores compute 1.08 times slower"), 0u) << notes[0];
}

// Sixteen times the work says sixteen times as much about a core's rate.
TEST(SlowCores, ARateIsWeighedByTheLengthOfItsOperations) {
  const spec::Chip chip = noisy(0);
  std::vector<Operation> operations;
  for (uint16_t core = 0; core < 4; ++core)
    for (int i = 0; i < 20; ++i) {
      operations.push_back({core, 0, 1, 1 << 16});
      operations.push_back({core, 1, 1.2, 1 << 20});
    }
  const std::vector<std::string> notes = notes_on(chip, operations);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].find("most cores compute 1.19 times slower"), 0u) << notes[0];
}

TEST(RecorderRate, IsTheCoresOwnUntilItsNoiseIsMoreThanAnEpisodeNeeds) {
  EXPECT_DOUBLE_EQ(recorder_rate(1024, 0), 1024);
  EXPECT_DOUBLE_EQ(recorder_rate(1024, 0.0152), 1024);
  EXPECT_NEAR(recorder_rate(1024, 0.08), 1024 * 1.0817 * (1 - 4.5 * 0.08), 1);
}

}  // namespace
}  // namespace lento::chip

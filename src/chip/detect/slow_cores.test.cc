#include "chip/detect/slow_cores.h"

#include <gtest/gtest.h>

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
      trace::ProbeRecord r;
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

TEST(RecorderRate, IsTheCoresOwnUntilItsNoiseIsMoreThanAnEpisodeNeeds) {
  EXPECT_DOUBLE_EQ(recorder_rate(1024, 0), 1024);
  EXPECT_DOUBLE_EQ(recorder_rate(1024, 0.0152), 1024);
  EXPECT_NEAR(recorder_rate(1024, 0.08), 1024 * 1.0817 * (1 - 4.5 * 0.08), 1);
}

}  // namespace
}  // namespace lento::chip

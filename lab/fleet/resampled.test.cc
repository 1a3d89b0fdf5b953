// Resampled telemetry: what lasts in the recording is found in it, what is healthy stays so, the seed is all.
#include "lab/fleet/resampled.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::fleet {
namespace {

// Twenty minutes of machines around one common level, every 10 s.
MetricSeries recording(uint64_t seed, double slow_share) {
  MetricSeries s;
  s.metrics = {"power"};
  s.step_ms = 10'000;
  s.steps = 120;
  base::Rng rng(seed, "recording");
  for (int m = 0; m < 12; ++m)
    s.machines.push_back("n" + std::to_string(m));
  for (size_t t = 0; t < s.steps; ++t) {
    const double level = 100 + 4 * std::sin(double(t) / 9);
    for (size_t m = 0; m < s.machines.size(); ++m)
      s.values.push_back(float(level * (1 + rng.normal(0, 0.02)) * (m == 4 ? slow_share : 1)));
  }
  return s;
}

DetectOptions judged() {
  DetectOptions o;
  o.false_alarms_per_day = 0.1;
  return o;
}

TEST(Resampled, AHealthyHourStaysQuiet) {
  for (const Resampling how : {Resampling::Together, Resampling::Apart}) {
    const FalseAlarms found = false_alarms(recording(1, 1), how, 0.5, 300, 7, judged(), {});
    EXPECT_NEAR(found.days, 0.5, 1e-3);
    EXPECT_LE(found.alarms, 1U);
    EXPECT_EQ(found.scores.size(), found.alarms);
  }
}

TEST(Resampled, AMachineThatIsAlwaysSlowIsNamed) {
  for (const Resampling how : {Resampling::Together, Resampling::Apart}) {
    const FalseAlarms found = false_alarms(recording(2, 0.7), how, 0.1, 300, 7, judged(), {});
    EXPECT_GE(found.alarms, 1U);
    ASSERT_FALSE(found.scores.empty());
    EXPECT_GT(found.scores.front(), 1);
  }
}

TEST(Resampled, IsItsSeeds) {
  const auto run = [](uint64_t seed) {
    return false_alarms(recording(2, 0.9), Resampling::Apart, 0.1, 300, seed, judged(), {}).scores;
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(Resampled, BlocksOfLessThanAStepOrMoreThanAllAreBlocks) {
  for (const double block_s : {0.001, 10.0, 1e9}) {
    for (const Resampling how : {Resampling::Together, Resampling::Apart}) {
      const FalseAlarms found = false_alarms(recording(1, 1), how, 0.02, block_s, 1, judged(), {});
      EXPECT_GT(found.days, 0.019);
      EXPECT_LE(found.alarms, 1U);
    }
  }
}

}  // namespace
}  // namespace lento::fleet

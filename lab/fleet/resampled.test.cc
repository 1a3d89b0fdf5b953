// Resampled telemetry: a machine that slows down in the recording is found in it, what is healthy stays so,
// the seed is all.
#include "lab/fleet/resampled.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::fleet {
namespace {

// Twenty minutes of machines around one common level, every 10 s. Machine 4 does `share` of its work, all the
// time or in the last two minutes.
struct Slow {
  double share = 1;
  bool always = true;
};

MetricSeries recording(uint64_t seed, const Slow& slow) {
  MetricSeries s;
  s.metrics = {"power"};
  s.step_ms = 10'000;
  s.steps = 120;
  base::Rng rng(seed, "recording");
  for (int m = 0; m < 12; ++m)
    s.machines.push_back("n" + std::to_string(m));
  for (size_t t = 0; t < s.steps; ++t) {
    const double level = 100 + 4 * std::sin(double(t) / 9);
    for (size_t m = 0; m < s.machines.size(); ++m) {
      const bool slows = m == 4 && (slow.always || t >= 108);
      s.values.push_back(float(level * (1 + rng.normal(0, 0.02)) * (slows ? slow.share : 1)));
    }
  }
  return s;
}

ScanOptions judged() {
  ScanOptions o;
  o.budget = {0.1, 86400};
  return o;
}

TEST(Resampled, AHealthyHourStaysQuiet) {
  for (const Resampling how : {Resampling::Together, Resampling::Apart}) {
    const FalseAlarms found = false_alarms(recording(1, {}), how, 0.5, 300, 7, judged(), {});
    EXPECT_NEAR(found.days, 0.5, 1e-3);
    EXPECT_LE(found.alarms, 1U);
    EXPECT_EQ(found.scores.size(), found.alarms);
  }
}

TEST(Resampled, AMachineThatSlowsDownIsNamedAndOneThatIsAlwaysSlowIsNot) {
  const auto found = [](const Slow& slow) {
    return false_alarms(recording(2, slow), Resampling::Together, 0.2, 300, 7, judged(), {});
  };
  const FalseAlarms now_and_then = found({0.5, false});
  ASSERT_GE(now_and_then.alarms, 1u);
  EXPECT_GT(now_and_then.scores.front(), 1);
  EXPECT_EQ(found({0.5, true}).alarms, 0u);
}

TEST(Resampled, IsItsSeeds) {
  const auto run = [](uint64_t seed) {
    return false_alarms(recording(2, {0.5, false}), Resampling::Together, 0.2, 300, seed, judged(), {})
        .scores;
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(Resampled, BlocksOfLessThanAStepOrMoreThanAllAreBlocks) {
  for (const double block_s : {0.001, 10.0, 1e9}) {
    for (const Resampling how : {Resampling::Together, Resampling::Apart}) {
      const FalseAlarms found = false_alarms(recording(1, {}), how, 0.02, block_s, 1, judged(), {});
      EXPECT_GT(found.days, 0.019);
      EXPECT_LE(found.alarms, 1U);
    }
  }
}

}  // namespace
}  // namespace lento::fleet

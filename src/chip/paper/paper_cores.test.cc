// Core outliers of the paper against their closed forms.
#include "chip/paper/paper_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace lento::chip {
namespace {

constexpr double kDeviation = 0.2;

// P(|Z| < z) of a normal variable, summed by the midpoint rule.
double within(double z) {
  constexpr int kSteps = 20'000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double x = z * (i + 0.5) / kSteps;
    sum += std::exp(-x * x / 2);
  }
  return 2 * sum * z / kSteps / std::sqrt(2 * M_PI);
}

ComputeMean mean_of(int core, int layer, double octaves, double work = 1000) {
  return {core, layer, 64, octaves, work};
}

Observations computes(std::vector<ComputeMean> all) {
  Observations seen;
  seen.cores = 16;
  seen.run_cycles = 1000;
  seen.computes = std::move(all);
  return seen;
}

TEST(CoreOutliers, OneOfFourAtHalfSpeed) {
  const Observations seen =
      computes({mean_of(0, 3, 0), mean_of(1, 3, 0), mean_of(2, 3, 1), mean_of(3, 3, 0)});
  const std::vector<CoreOutlier> found = core_outliers(seen, kDeviation);
  ASSERT_EQ(found.size(), 1U);
  const double mean = (3 + 0.5) / 4;
  EXPECT_EQ(found[0].core, 2);
  EXPECT_EQ(found[0].layer, 3);
  EXPECT_NEAR(found[0].performance, 0.5 / mean, 1e-12);
  EXPECT_NEAR(found[0].probability, within((1 - 0.5 / mean) / kDeviation), 1e-6);
  EXPECT_EQ(found[0].begin, 0U);
  EXPECT_EQ(found[0].end, 1000U);
}

TEST(CoreOutliers, ALayerOnOneCoreHasNoPeers) {
  EXPECT_TRUE(core_outliers(computes({mean_of(4, 0, 3)}), kDeviation).empty());
  EXPECT_TRUE(core_outliers(computes({}), kDeviation).empty());
}

TEST(CoreOutliers, OnlyEqualWorkOfOneLayerIsCompared) {
  // Each pair would accuse its second core were it one group.
  EXPECT_TRUE(core_outliers(computes({mean_of(0, 0, 0), mean_of(1, 1, 2)}), kDeviation).empty());
  EXPECT_TRUE(core_outliers(computes({mean_of(0, 0, 0, 1000), mean_of(1, 0, 2, 1011)}), kDeviation).empty());
  EXPECT_EQ(core_outliers(computes({mean_of(0, 0, 0, 1000), mean_of(1, 0, 2, 1009)}), kDeviation).size(), 1U);
}

// Speeds of all cores times one factor change nothing: what is compared is the distance to the peers.
TEST(CoreOutliers, AUniformlySlowChipHasTheSameOutliers) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "core outliers");
    std::vector<ComputeMean> here;
    std::vector<ComputeMean> slower;
    for (int layer = 0; layer < 3; ++layer) {
      for (int core = 0; core < 8; ++core) {
        const double octaves = rng.normal(0, 0.3);
        here.push_back(mean_of(core, layer, octaves));
        slower.push_back(mean_of(core, layer, octaves + 1.5));
      }
    }
    std::ranges::reverse(slower);  // nor does the order in which the records come
    const std::vector<CoreOutlier> a = core_outliers(computes(here), kDeviation);
    const std::vector<CoreOutlier> b = core_outliers(computes(slower), kDeviation);
    ASSERT_EQ(a.size(), b.size()) << seed;
    EXPECT_FALSE(a.empty());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].core, b[i].core);
      EXPECT_NEAR(a[i].performance, b[i].performance, 1e-9);
      EXPECT_LT(a[i].performance, 1);
      EXPECT_GT(a[i].probability, 0);
      EXPECT_LE(a[i].probability, 1);
    }
  }
}

TEST(CoreOutliers, AStretchIsHeldAgainstTheOtherCores) {
  Observations seen = computes({});
  seen.cores = 4;
  seen.stretches = {{1, 100, 200, 5, 1}};
  std::vector<CoreOutlier> found = core_outliers(seen, kDeviation);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].layer, -1);
  EXPECT_EQ(found[0].begin, 100U);
  EXPECT_EQ(found[0].end, 200U);
  EXPECT_NEAR(found[0].performance, 0.5 / (3.5 / 4), 1e-12);
  // One that ends as this one begins says nothing of the time between; one that lasts as long does.
  seen.stretches.push_back({2, 0, 100, 5, 1});
  found = core_outliers(seen, kDeviation);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].performance, 0.5 / (3.5 / 4), 1e-12);
  seen.stretches.back() = {2, 100, 200, 5, 1};
  found = core_outliers(seen, kDeviation);
  EXPECT_NEAR(found[0].performance, 0.5 / (3.0 / 4), 1e-12);
  // Half of the time: half of its octaves.
  seen.stretches.back() = {2, 150, 250, 5, 1};
  found = core_outliers(seen, kDeviation);
  EXPECT_NEAR(found[0].performance, 0.5 / ((2 + 0.5 + std::exp2(-0.5)) / 4), 1e-12);
}

TEST(CoreOutliers, AllCoresSlowAtOnceAreNoOutliers) {
  Observations seen = computes({});
  seen.cores = 3;
  seen.stretches = {{0, 0, 100, 5, 2}, {1, 0, 100, 5, 2}, {2, 0, 100, 5, 2}};
  EXPECT_TRUE(core_outliers(seen, kDeviation).empty());
}

}  // namespace
}  // namespace lento::chip

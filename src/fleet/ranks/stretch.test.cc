// Closed forms: where a stretch begins, its noise, and what is no stretch.
#include "fleet/ranks/stretch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::fleet::ranks {
namespace {

std::vector<double> noise(size_t count, double deviation, uint64_t seed = 1) {
  base::Rng rng(seed, "stretch");
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(rng.normal(0, deviation));
  return out;
}

TEST(Noise, OfAlternatingValuesIsTheirHalfDistanceTimesRootTwo) {
  std::vector<double> series;
  for (int i = 0; i < 10; ++i)
    series.push_back(i % 2 ? 1 : -1);
  EXPECT_DOUBLE_EQ(noise_of(series), std::sqrt(2.0));
}

TEST(Noise, AJumpOfTheLevelHardlyWidensIt) {
  std::vector<double> series = noise(1000, 1);
  const double before = noise_of(series);
  for (size_t i = 500; i < 1000; ++i)
    series[i] += 5;
  EXPECT_NEAR(before, 1, 0.05);
  EXPECT_NEAR(noise_of(series), before, 0.02);
}

TEST(Noise, UnknownValuesArePassedOver) {
  const std::vector<double> series{1, NAN, 3, NAN, 1, 3};
  const std::vector<double> same{1, 3, 1, 3};
  EXPECT_DOUBLE_EQ(noise_of(series), noise_of(same));
  EXPECT_EQ(noise_of(std::vector<double>{1, 2}), 0);
}

TEST(SlowNoise, IsOneForWhiteNoiseAndMoreForAWalk) {
  EXPECT_NEAR(slow_noise(noise(2000, 1)), 1, 0.5);
  std::vector<double> walk = noise(2000, 1);
  for (size_t i = 1; i < walk.size(); ++i)
    walk[i] += walk[i - 1];
  EXPECT_GT(slow_noise(walk), 5);
  EXPECT_TRUE(std::isnan(slow_noise(noise(29, 1))));
}

TEST(SlowNoise, OfPeersIsTheLowerMedianAndAtLeastOne) {
  std::vector<double> walk = noise(2000, 1);
  for (size_t i = 1; i < walk.size(); ++i)
    walk[i] += walk[i - 1];
  const std::vector<std::vector<double>> most{noise(2000, 1, 2), noise(2000, 1, 3), walk};
  EXPECT_LT(slow_noise(most), 2);
  EXPECT_GE(slow_noise(most), 1);
  EXPECT_EQ(slow_noise(std::vector<std::vector<double>>{}), 1);
}

TEST(BestStretch, OfALevelAboveZeroInsideOnly) {
  std::vector<double> series = noise(200, 0.1);
  for (size_t i = 60; i < 120; ++i)
    series[i] += 4;
  const Stretch s = best_stretch(series, 1);
  EXPECT_EQ(s.begin, 60);
  EXPECT_EQ(s.end, 120);
  EXPECT_EQ(s.count, 60);
  EXPECT_NEAR(s.mean, 4, 0.1);
  EXPECT_NEAR(s.median, 4, 0.1);
  EXPECT_NEAR(s.significance, 4 / (noise_of(series) / std::sqrt(60.0)), 40);
}

TEST(BestStretch, RoughnessDividesItsSignificance) {
  std::vector<double> series = noise(200, 0.1);
  for (size_t i = 60; i < 120; ++i)
    series[i] += 4;
  EXPECT_NEAR(best_stretch(series, 1, 1).significance, 3 * best_stretch(series, 1, 3).significance, 1e-6);
}

TEST(BestStretch, UnderTheAllowanceThereIsNone) {
  const std::vector<double> series(50, 0.9);
  EXPECT_EQ(best_stretch(series, 1).count, 0);
  EXPECT_EQ(best_stretch(series, 0.5).count, 50);
}

TEST(BestStretch, UnknownStepsNeitherBreakNorCount) {
  std::vector<double> series(50, 0);
  for (size_t i = 10; i < 40; ++i)
    series[i] = i % 3 ? 5 : NAN;
  const Stretch s = best_stretch(series, 1);
  EXPECT_EQ(s.begin, 10);
  EXPECT_EQ(s.end, 39);
  EXPECT_EQ(s.count, 20);
  EXPECT_DOUBLE_EQ(s.mean, 5);
}

TEST(Stretch, BeginsWhereTheSeriesCrossesHalfOfTheFault) {
  std::vector<double> series(100, 0);
  for (int i = 40; i < 100; ++i)
    series[i] = 10;
  series[35] = 3;
  const Stretch s = best_stretch(series, 0.5);
  EXPECT_EQ(s.begin, 40);
  EXPECT_EQ(s.end, 100);
  EXPECT_DOUBLE_EQ(s.mean, 10);
}

}  // namespace
}  // namespace lento::fleet::ranks

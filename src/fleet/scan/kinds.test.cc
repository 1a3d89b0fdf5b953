#include "fleet/scan/kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace lento::fleet {
namespace {

TEST(Kinds, CodesAndIdentifiersAreNoAmounts) {
  EXPECT_EQ(kind_of("DCGM_FI_DEV_XID_ERRORS").kind, Kind::Code);
  EXPECT_EQ(kind_of("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS").kind, Kind::Code);
  EXPECT_EQ(kind_of("node_boot_time_seconds").kind, Kind::Identifier);
}

TEST(Kinds, DirectionIsTheSideOfASlowMachine) {
  EXPECT_EQ(kind_of("DCGM_FI_DEV_POWER_USAGE").slow, Slow::Low);
  EXPECT_EQ(kind_of("DCGM_FI_DEV_GPU_TEMP").slow, Slow::High);
  EXPECT_EQ(kind_of("step_time_s").slow, Slow::High);
  EXPECT_EQ(kind_of("cpu_busy").slow, Slow::Unknown);
}

std::vector<float> drawn(double (*value)(base::Rng&)) {
  base::Rng rng(3, "kinds");
  std::vector<float> out(100 * 16);
  for (float& v : out)
    v = float(value(rng));
  return out;
}

TEST(Kinds, FewValuesAreRanked) {
  const Scale scale = scale_of(
      drawn([](base::Rng& r) {
        return r.uniform() < 0.9 ? 100.0 : 0.0;
      }),
      16);
  EXPECT_EQ(scale.law, Scale::Law::Rank);
  EXPECT_TRUE(scale.tied);
}

TEST(Kinds, ALevelOfCoarseStepsKeepsItsSize) {
  const Scale scale = scale_of(
      drawn([](base::Rng& r) {
        return r.uniform() < 0.9 ? 1980.0 : 1965.0;
      }),
      16);
  EXPECT_EQ(scale.law, Scale::Law::Log);
  EXPECT_TRUE(scale.tied);
}

TEST(Kinds, PositiveValuesAreCompandedByTheLogarithm) {
  const Scale scale = scale_of(
      drawn([](base::Rng& r) {
        return r.normal(700, 30);
      }),
      16);
  EXPECT_EQ(scale.law, Scale::Law::Log);
  EXPECT_FALSE(scale.tied);
  EXPECT_NEAR(double(scale.of(770) - scale.of(700)), std::log(1.1), 1e-5);
  EXPECT_TRUE(std::isfinite(scale.of(0)));
}

TEST(Kinds, SignedValuesStayFinite) {
  const Scale scale = scale_of(
      drawn([](base::Rng& r) {
        return r.normal();
      }),
      16);
  EXPECT_EQ(scale.law, Scale::Law::Asinh);
  EXPECT_EQ(scale.of(0), 0);
}

TEST(Kinds, NothingIsALevel) {
  const std::vector<float> nothing(64, NAN);
  EXPECT_EQ(scale_of(nothing, 16).law, Scale::Law::Log);
}

}  // namespace
}  // namespace lento::fleet

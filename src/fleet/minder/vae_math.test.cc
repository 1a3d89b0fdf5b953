// The lanes' own exponential against the library's.
#include "fleet/minder/vae_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lento::fleet {
namespace {

using Lanes = float __attribute__((vector_size(16)));
using Whole = int32_t __attribute__((vector_size(16)));

double exp_in_lane(float x) {
  const Lanes out = exp_lanes<Lanes, Whole>(Lanes{x, 0, x, 1});
  EXPECT_EQ(out[0], out[2]);
  EXPECT_EQ(out[1], 1.0F);
  return double{out[0]};
}

TEST(ExpLanes, IsTheExponentialToTwoOfTenMillion) {
  for (float x = -86.9F; x < 86.9F; x += 0.0371F) {
    const double exact = std::exp(double{x});
    ASSERT_NEAR(exp_in_lane(x), exact, 2.5e-7 * exact) << x;
  }
}

TEST(ExpLanes, EndsWhereFloatsDo) {
  for (const float far : {88.0F, 1e3F, 1e30F}) {
    EXPECT_EQ(exp_in_lane(far), exp_in_lane(87)) << far;
    EXPECT_EQ(exp_in_lane(-far), exp_in_lane(-87)) << far;
  }
  EXPECT_GT(exp_in_lane(-87), 0);
}

}  // namespace
}  // namespace lento::fleet

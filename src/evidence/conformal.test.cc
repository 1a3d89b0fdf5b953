#include "evidence/conformal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace lento::evidence {
namespace {

using Values = std::vector<double>;

TEST(Conformal, BoundIsTheRightOrderStatistic) {
  Values scores;
  for (int i = 1; i <= 19; ++i)
    scores.push_back(i);
  EXPECT_EQ(conformal_bound(scores, 0.05), 19);
  EXPECT_EQ(conformal_bound(scores, 0.1), 18);
  EXPECT_EQ(conformal_bound(scores, 0.04), INFINITY);
  EXPECT_EQ(conformal_bound({}, 0.5), INFINITY);
  EXPECT_EQ(conformal_bound(scores, 1), 1);
}

TEST(Conformal, EqualWeightsGiveThePlainBound) {
  base::Rng rng(1, "conformal");
  for (size_t n = 1; n < 60; ++n) {
    Values scores(n);
    for (double& s : scores)
      s = rng.normal();
    EXPECT_EQ(weighted_conformal_bound(scores, Values(n, 2.5), 2.5, 0.1), conformal_bound(scores, 0.1)) << n;
  }
}

// Exponential scores have any exceedance chance in closed form; n = 30 leaves no room for asymptotics.
TEST(Conformal, MissesAsOftenAsAllowed) {
  base::Rng rng(2, "coverage");
  double missed = 0;
  for (int i = 0; i < 4000; ++i) {
    Values scores(30);
    for (double& s : scores)
      s = rng.exponential(1);
    missed += std::exp(-conformal_bound(scores, 0.1));
  }
  EXPECT_NEAR(missed / 4000, 3.0 / 31, 0.003);  // floor(0.1 * 31) / 31
}

// Seen rows have x uniform and scores proportional to 1 + 4 x; new rows have density 2 x.
TEST(Conformal, WeightsCoverRowsFromElsewhere) {
  base::Rng rng(3, "shift");
  int plain = 0;
  int weighted = 0;
  for (int i = 0; i < 3000; ++i) {
    Values scores(100);
    Values weights(100);
    for (size_t k = 0; k < 100; ++k) {
      weights[k] = rng.uniform();
      scores[k] = (1 + 4 * weights[k]) * rng.uniform();
    }
    const double x = std::sqrt(rng.uniform());
    const double fresh = (1 + 4 * x) * rng.uniform();
    plain += fresh > conformal_bound(scores, 0.1);
    weighted += fresh > weighted_conformal_bound(scores, weights, x, 0.1);
  }
  EXPECT_GT(plain, 420);
  EXPECT_LT(weighted, 330);
  EXPECT_GT(weighted, 200);
}

}  // namespace
}  // namespace lento::evidence

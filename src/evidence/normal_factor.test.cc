#include "evidence/normal_factor.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::evidence {
namespace {

// [[4, 2], [2, 3]] has the inverse [[3, -2], [-2, 4]] / 8.
NormalFactor known() {
  Matrix normal(2, 2);
  normal(0, 0) = 4;
  normal(1, 0) = 2;
  normal(1, 1) = 3;
  return NormalFactor(normal);
}

TEST(NormalFactor, SolvesAndGivesVariancesOfAClosedForm) {
  const std::vector<double> x = known().solve(std::vector<double>{8, 7});
  EXPECT_NEAR(x[0], 1.25, 1e-12);
  EXPECT_NEAR(x[1], 1.5, 1e-12);
  const std::vector<double> v = known().variances();
  EXPECT_NEAR(v[0], 3.0 / 8, 1e-12);
  EXPECT_NEAR(v[1], 4.0 / 8, 1e-12);
  EXPECT_NEAR(known().variance_of_sum(0, 1), 3.0 / 8, 1e-12);
  EXPECT_NEAR(known().variance_of_sum(1, 1), 2, 1e-12);
  EXPECT_NEAR(known().log_determinant(), std::log(8), 1e-12);
}

TEST(NormalFactor, WhitenedRowsHaveTheLengthOfTheQuadraticForm) {
  Matrix rows(2, 2);
  rows(0, 0) = 1;
  rows(1, 0) = 2;
  rows(1, 1) = -1;
  known().whiten(rows);
  EXPECT_NEAR(rows(0, 0) * rows(0, 0) + rows(0, 1) * rows(0, 1), 3.0 / 8, 1e-12);
  EXPECT_NEAR(rows(1, 0) * rows(1, 0) + rows(1, 1) * rows(1, 1), (4 * 3 + 8 + 4) / 8.0, 1e-12);
}

TEST(NormalFactor, RefusesWhatIsNotDefinite) {
  Matrix normal(2, 2);
  normal(0, 0) = 1;
  normal(1, 0) = 2;
  normal(1, 1) = 1;
  EXPECT_THROW(NormalFactor{normal}, base::Bug);
}

}  // namespace
}  // namespace lento::evidence

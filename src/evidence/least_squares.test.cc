#include "evidence/least_squares.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::evidence {
namespace {

using Values = std::vector<double>;

TEST(SolveNormal, ValueAndVarianceInClosedForm) {
  Matrix m(2, 2);
  m.values = {2, 99, 1, 3};  // the upper triangle is not read
  const NormalSolution s = solve_normal(m, Values{4, 7});
  EXPECT_NEAR(s.value[0], 1, 1e-12);
  EXPECT_NEAR(s.value[1], 2, 1e-12);
  EXPECT_NEAR(s.variance[0], 0.6, 1e-12);
  EXPECT_NEAR(s.variance[1], 0.4, 1e-12);
  EXPECT_TRUE(solve_normal({}, {}).value.empty());
  m.values = {1, 0, 2, 1};
  EXPECT_THROW(solve_normal(m, Values{1, 1}), base::Bug);
}

}  // namespace
}  // namespace lento::evidence

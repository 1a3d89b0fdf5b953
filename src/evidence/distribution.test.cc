#include "evidence/distribution.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::evidence {
namespace {

TEST(Normal, QuantileInvertsTheDistribution) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-13);
  EXPECT_NEAR(normal_quantile(1e-12), -7.034483825301132, 1e-9);
  for (const double p : {1e-200, 1e-9, 0.1, 0.6, 0.999})
    EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1, 1e-12) << p;
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
}

TEST(Beta, ClosedForms) {
  for (const double x : {0.001, 0.2, 0.5, 0.9}) {
    EXPECT_NEAR(beta_cdf(x, 1, 1), x, 1e-12);
    EXPECT_NEAR(beta_cdf(x, 3, 1), x * x * x, 1e-12);
    EXPECT_NEAR(beta_cdf(x, 1, 5), 1 - std::pow(1 - x, 5), 1e-12);
    EXPECT_NEAR(beta_cdf(x, 0.5, 0.5), 2 / M_PI * std::asin(std::sqrt(x)), 1e-12);
    EXPECT_NEAR(beta_quantile(beta_cdf(x, 40, 7), 40, 7), x, 1e-3 + 0.01 * x);
  }
  EXPECT_NEAR(beta_cdf(0.5, 1e5, 1e5), 0.5, 1e-9);
}

TEST(Student, CauchyAndNormalAreItsEnds) {
  EXPECT_NEAR(student_quantile(0.975, 1), std::tan(0.475 * M_PI), 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 2), 2.919985580353725, 1e-9);
  EXPECT_NEAR(student_quantile(0.05, 1e8), normal_quantile(0.05), 1e-6);
}

}  // namespace
}  // namespace lento::evidence

#include "evidence/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/rng.h"

namespace lento::evidence {
namespace {

using Values = std::vector<double>;

Matrix columns(const std::vector<Values>& given) {
  Matrix m(given.front().size(), given.size());
  for (size_t c = 0; c < given.size(); ++c)
    for (size_t r = 0; r < m.rows; ++r)
      m(r, c) = given[c][r];
  return m;
}

Values drawn(base::Rng& rng, size_t n) {
  Values out(n);
  for (double& v : out)
    v = rng.normal();
  return out;
}

TEST(LeastSquares, LineInClosedForm) {
  // x = 0..4: slope variance 1 / sum (x - 2)^2 = 1 / 10, level variance 1 / 5 + 4 / 10.
  const Fit f = least_squares(columns({{1, 1, 1, 1, 1}, {0, 1, 2, 3, 4}}), Values{1, 3, 5, 7, 10});
  EXPECT_NEAR(f.coefficient[1], 2.2, 1e-12);
  EXPECT_NEAR(f.coefficient[0], 0.8, 1e-12);
  EXPECT_NEAR(f.covariance(1, 1), 0.1, 1e-12);
  EXPECT_NEAR(f.covariance(0, 0), 0.6, 1e-12);
  EXPECT_NEAR(f.covariance(0, 1), -0.2, 1e-12);
  EXPECT_NEAR(f.chi_squared, 0.4, 1e-12);
  EXPECT_EQ(f.freedom(), 3u);
}

TEST(LeastSquares, WeightsAreRepeatsAndUnitsOfColumnsDoNotMatter) {
  const Fit repeated = least_squares(columns({{1, 1, 1, 1}, {1, 1, 1, 4}}), Values{2, 2, 2, 5});
  const Fit weighted =
      least_squares(columns({{1, 1, 7}, {1e12, 4e12, 9}}), Values{2, 5, 1e9}, Values{3, 1, 0});
  EXPECT_EQ(weighted.rows, 2u);
  EXPECT_EQ(weighted.rank, 2u);
  EXPECT_NEAR(weighted.coefficient[1] * 1e12, repeated.coefficient[1], 1e-9);
  EXPECT_NEAR(weighted.covariance(1, 1) * 1e24, repeated.covariance(1, 1), 1e-9);
}

TEST(LeastSquares, WhatRowsCannotSeparateIsNotEstimable) {
  // The second and third columns are one; the fourth is empty; the first stands alone.
  const Fit f = least_squares(
      columns({{1, 0, 1, 0, 1}, {0, 1, 1, 2, 3}, {0, 2, 2, 4, 6}, {0, 0, 0, 0, 0}}),
      Values{1, 2, 3, 4, 7});
  EXPECT_EQ(f.rank, 2u);
  EXPECT_TRUE(f.estimable(0));
  EXPECT_NEAR(f.coefficient[0], 1, 1e-12);
  for (const size_t c : {1, 2, 3}) {
    EXPECT_FALSE(f.estimable(c));
    EXPECT_EQ(f.coefficient[c], 0);
    EXPECT_EQ(f.interval(c, 0.9, Noise::Known).high, INFINITY);
  }
  EXPECT_NEAR(f.chi_squared, 0, 1e-20);
}

TEST(LeastSquares, IntervalsCoverWithKnownAndWithEstimatedNoise) {
  int known = 0;
  int estimated = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    base::Rng rng(seed, "coverage");
    const Values part = drawn(rng, 8);
    const Values nuisance = drawn(rng, 8);
    Values y = drawn(rng, 8);
    for (size_t i = 0; i < 8; ++i)
      y[i] = 3 * part[i] - 5 * nuisance[i] + y[i] * 2;
    const Fit f = least_squares(columns({part, nuisance, Values(8, 1)}), y, Values(8, 0.25));
    const Interval a = f.interval(0, 0.9, Noise::Known);
    const Interval b = f.interval(0, 0.9, Noise::Estimated);
    known += a.low <= 3 && 3 <= a.high;
    estimated += b.low <= 3 && 3 <= b.high;
  }
  EXPECT_NEAR(known, 1800, 42);
  EXPECT_NEAR(estimated, 1800, 42);
}

TEST(LikelihoodRatio, ChancesAreUniformWithoutAnEffect) {
  int known = 0;
  int estimated = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    base::Rng rng(seed, "wilks");
    const Values y = drawn(rng, 10);
    const Values a = drawn(rng, 10);
    const Values b = drawn(rng, 10);
    const Fit nested = least_squares(columns({Values(10, 1)}), y);
    const Fit full = least_squares(columns({Values(10, 1), a, b}), y);
    known += likelihood_ratio(nested, full, Noise::Known).chance <= 0.1;
    estimated += likelihood_ratio(nested, full, Noise::Estimated).chance <= 0.1;
    EXPECT_EQ(likelihood_ratio(full, full, Noise::Known).chance, 1);
  }
  EXPECT_NEAR(known, 200, 42);
  EXPECT_NEAR(estimated, 200, 42);
}

TEST(Background, EqualsTheFullFit) {
  base::Rng rng(4, "background");
  const Values y = drawn(rng, 20);
  const Values part = drawn(rng, 20);
  const Values n1 = drawn(rng, 20);
  Values weights = drawn(rng, 20);
  for (double& w : weights)
    w = std::exp(w);
  const Matrix nuisances = columns({n1, Values(20, 1)});
  const Background::Effect e = Background(nuisances, y, weights).effect_of(part);
  const Fit full = least_squares(columns({part, n1, Values(20, 1)}), y, weights);
  const Fit nested = least_squares(nuisances, y, weights);
  EXPECT_NEAR(e.value, full.coefficient[0], 1e-12);
  EXPECT_NEAR(1 / e.information, full.covariance(0, 0), 1e-12);
  EXPECT_NEAR(e.gain, nested.chi_squared - full.chi_squared, 1e-10);
  EXPECT_EQ(Background(nuisances, y, weights).effect_of(n1).information, 0);
  EXPECT_NEAR(Background(Matrix(20, 0), y).effect_of(Values(20, 1)).information, 20, 1e-12);
}

TEST(DetectableEffect, IsNamedAsOftenAsPromised) {
  const double effect = detectable_effect(25, 3);
  base::Rng rng(5, "power");
  int named = 0;
  for (int i = 0; i < 4000; ++i)
    named += (effect + rng.normal(0, 0.2)) / 0.2 > 3;
  EXPECT_NEAR(named, 3800, 42);
  EXPECT_EQ(detectable_effect(0, 3), INFINITY);
}

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

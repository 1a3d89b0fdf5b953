#include "chip/fit/robust.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::chip {
namespace {

TEST(SolveRobustly, AnExactSystemIsSolvedExactlyButForThePrior) {
  std::vector<Equation> rows;
  for (int i = 0; i < 20; ++i) {
    rows.push_back({0.3, 0.001, {{0, 1.0}}});
    rows.push_back({0.3 - 2 * 0.1, 0.001, {{0, 1.0}, {1, 2.0}}});
  }
  std::vector<Unknown> x(2, Unknown{1});
  EXPECT_DOUBLE_EQ(solve_robustly(rows, x), 1);
  EXPECT_NEAR(x[0].value, 0.3, 1e-4);
  EXPECT_NEAR(x[1].value, -0.1, 1e-4);
  EXPECT_NEAR(x[1].error, 0.001 / 2 / std::sqrt(20), 5e-5);  // of the rows that name it, the other held
}

TEST(SolveRobustly, WhatNoRowNamesKeepsItsPrior) {
  std::vector<Unknown> x(2, Unknown{0.25});
  solve_robustly({{0.1, 0.01, {{0, 1.0}}}}, x);
  EXPECT_EQ(x[1].value, 0);
  EXPECT_DOUBLE_EQ(x[1].error, 0.25);
}

TEST(SolveRobustly, AThirdOfTheRowsFarOffChangesLittle) {
  base::Rng rng(1, "robust.test");
  std::vector<Equation> rows;
  for (int i = 0; i < 90; ++i)
    rows.push_back({i % 3 == 0 ? 3.0 : 0.1 + 0.02 * rng.normal(), 0.02, {{0, 1.0}}});
  std::vector<Unknown> x(1, Unknown{0.5});
  solve_robustly(rows, x);
  EXPECT_NEAR(x[0].value, 0.1, 4 * x[0].error + 0.005);
}

TEST(SolveRobustly, RowsThatScatterMoreThanTheySayWidenTheError) {
  base::Rng rng(2, "robust.test");
  std::vector<Equation> rows;
  for (int i = 0; i < 400; ++i)
    rows.push_back({0.1 * rng.normal(), 0.01, {{0, 1.0}}});
  std::vector<Unknown> x(1, Unknown{0.5});
  EXPECT_NEAR(solve_robustly(rows, x), 10, 1.5);
  EXPECT_GT(x[0].error, 0.003);
}

TEST(SpreadAround, OfANormalIsItsDeviationAndOfTwoValuesNothing) {
  base::Rng rng(3, "robust.test");
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i)
    values.push_back(1 + 0.2 * rng.normal());
  EXPECT_NEAR(spread_around(values, 1), 0.2, 0.01);
  EXPECT_EQ(spread_around({1, 5}, 3), 0);
}

}  // namespace
}  // namespace lento::chip

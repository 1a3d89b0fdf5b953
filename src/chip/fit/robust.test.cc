#include "chip/fit/robust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "chip/fit/tuning.h"

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
  // Of 0.3 by 20 rows, and of twice the other beside it by as many.
  EXPECT_NEAR(x[0].error, 0.001 / std::sqrt(20), 1e-6);
  EXPECT_NEAR(x[1].error, 0.001 / std::sqrt(20) / std::sqrt(2), 1e-6);
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

// One row on one unknown: value = y p^2 / (p^2 + s^2), error = 1 / sqrt(1/p^2 + 1/s^2).
TEST(SolveRobustly, APriorPullsByItsPrecision) {
  for (const double prior : {0.01, 0.1, 1.0}) {
    std::vector<Unknown> x(1, Unknown{prior});
    std::vector<Equation> rows(7, Equation{0.02, 0.1, {{0, 1.0}}});
    EXPECT_DOUBLE_EQ(solve_robustly(rows, x), 1);
    const double told = 7 / (0.1 * 0.1);
    const double before = 1 / (prior * prior);
    EXPECT_NEAR(x[0].value, 0.02 * told / (told + before), 1e-3 * 0.02) << prior;
    EXPECT_NEAR(x[0].error, 1 / std::sqrt(told + before), 2e-3) << prior;
  }
}

// Before anything is seen an unknown lies at its mean; rows pull it away by their precision.
TEST(SolveRobustly, APriorHasAMean) {
  std::vector<Unknown> x{{.prior = 0.1, .mean = 0.3}, {.prior = 0.1, .mean = -0.2}};
  x.push_back({.prior = 0.1});
  std::vector<Equation> rows(7, {0.0, 0.1, {{2, 1.0}}});  // that scatter as they say
  rows.push_back({0.0, 0.1, {{0, 1.0}}});
  EXPECT_DOUBLE_EQ(solve_robustly(rows, x), 1);
  EXPECT_NEAR(x[0].value, 0.1714, 0.001);  // 0.15 of equal weights, and Tukey takes a quarter off the row
  EXPECT_DOUBLE_EQ(x[1].value, -0.2);
}

// A row so far off that it counts for nothing: the result is the one without it.
TEST(SolveRobustly, ARowBeyondTheCutCountsForNothing) {
  std::vector<Equation> rows;
  for (int i = 0; i < 40; ++i)
    rows.push_back({0.1 + 0.01 * (i % 2 == 0 ? 1 : -1), 0.01, {{0, 1.0}}});
  std::vector<Unknown> without(1, Unknown{1});
  const double scale = solve_robustly(rows, without);
  rows.push_back({9, 0.01, {{0, 1.0}}});
  std::vector<Unknown> with(1, Unknown{1});
  solve_robustly(rows, with);
  EXPECT_NEAR(with[0].value, without[0].value, 1e-6);
  EXPECT_NEAR(with[0].error, without[0].error, 1e-6 + 0.02 * without[0].error);
  EXPECT_GE(scale, 1);
}

TEST(SolveRobustly, TheOrderOfTheRowsMeansNothing) {
  base::Rng rng(9, "robust.order");
  std::vector<Equation> rows;
  for (int i = 0; i < 60; ++i)
    rows.push_back({rng.normal(0.2, 0.05), 0.05, {{size_t(rng.below(3)), 1.0}, {3, 0.5}}});
  std::vector<Unknown> forward(4, Unknown{0.5});
  std::vector<Unknown> backward(4, Unknown{0.5});
  solve_robustly(rows, forward);
  std::ranges::reverse(rows);
  solve_robustly(rows, backward);
  for (size_t u = 0; u < 4; ++u) {
    EXPECT_NEAR(forward[u].value, backward[u].value, 1e-3);
    EXPECT_NEAR(forward[u].error, backward[u].error, 1e-6);
  }
}

// Rows and priors ten times as large: values and errors too.
TEST(SolveRobustly, ScalesWithItsUnit) {
  base::Rng rng(10, "robust.scale");
  std::vector<Equation> rows;
  for (int i = 0; i < 60; ++i)
    rows.push_back({rng.normal(0.2, 0.05), 0.05, {{size_t(i) % 3, 1.0}}});
  std::vector<Unknown> x(3, Unknown{0.5});
  std::vector<Unknown> ten(3, Unknown{5});
  solve_robustly(rows, x);
  for (Equation& e : rows) {
    e.y *= 10;
    e.deviation *= 10;
  }
  solve_robustly(rows, ten);
  for (size_t u = 0; u < 3; ++u) {
    EXPECT_NEAR(ten[u].value, 10 * x[u].value, 1e-3);
    EXPECT_NEAR(ten[u].error, 10 * x[u].error, 1e-3);
  }
}

TEST(SolveRobustly, NothingToSolveIsNothing) {
  std::vector<Unknown> none;
  EXPECT_EQ(solve_robustly({}, none), 1);
  std::vector<Unknown> x(1, Unknown{0.5});
  EXPECT_EQ(solve_robustly({}, x), 1);
  EXPECT_EQ(x[0].value, 0);
  EXPECT_DOUBLE_EQ(x[0].error, 0.5);
}

TEST(SpreadAround, IsTheMedianDistanceAsADeviation) {
  EXPECT_DOUBLE_EQ(spread_around({1, 2, 5}, 2), kNormalPerMedian * 1);
  EXPECT_DOUBLE_EQ(spread_around({1, 2, 5}, 0), kNormalPerMedian * 2);
  EXPECT_EQ(spread_around({}, 0), 0);
  EXPECT_EQ(spread_around({4, 4, 4}, 4), 0);
}

}  // namespace
}  // namespace lento::chip

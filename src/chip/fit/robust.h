// Robust weighted least squares with a prior, for sparse rows: what the fit of a chip's twin rests on.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lento::chip {

// y = sum of share * unknown + noise of this deviation, for most rows; some rows have nothing to do with it.
struct Equation {
  double y = 0;
  double deviation = 1;
  std::vector<std::pair<size_t, double>> shares;  // unknown, share
};

struct Unknown {
  double prior = 1;  // standard deviation before anything is seen
  double value = 0;
  double error =
      1;            // standard deviation after, the others unknown too; the prior's when no row told anything
  double mean = 0;  // before anything is seen
};

// Coordinate descent with Tukey's biweight: a row further off than 4.685 deviations counts for nothing. When
// the rows scatter more than they say, all deviations grow by one factor, which is returned (1 at least).
double solve_robustly(const std::vector<Equation>& equations, std::vector<Unknown>& unknowns);

// Spread of values around `centre` by their median distance, as a standard deviation; 0 for fewer than 3.
double spread_around(const std::vector<double>& values, double centre);

}  // namespace lento::chip

#include "chip/fit/robust.h"

#include <algorithm>
#include <cmath>

#include "chip/fit/tuning.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

double residual(const Equation& e, const std::vector<Unknown>& unknowns) {
  double left = e.y;
  for (const auto& [u, share] : e.shares)
    left -= share * unknowns[u].value;
  return left;
}

std::vector<double> residuals(const std::vector<Equation>& equations, const std::vector<Unknown>& unknowns) {
  std::vector<double> out;
  for (const Equation& e : equations)
    out.push_back(residual(e, unknowns) / e.deviation);
  return out;
}

// How many times wider than they say the rows scatter.
double scatter(const std::vector<double>& standardized) {
  std::vector<double> sizes;
  for (const double r : standardized)
    sizes.push_back(std::abs(r));
  return std::max(1.0, kNormalPerMedian * evidence::median(sizes));
}

// One pass of coordinate descent; the largest move.
double sweep(
    const std::vector<std::vector<std::pair<size_t, double>>>& uses,
    const std::vector<double>& weights,
    std::vector<double>& left,
    std::vector<Unknown>& unknowns) {
  double largest = 0;
  for (size_t u = 0; u < unknowns.size(); ++u) {
    Unknown& x = unknowns[u];
    double top = x.mean / (x.prior * x.prior);
    double bottom = 1 / (x.prior * x.prior);
    for (const auto& [row, share] : uses[u]) {
      top += weights[row] * share * (left[row] + share * x.value);
      bottom += weights[row] * share * share;
    }
    const double value = top / bottom;
    const double moved = value - x.value;
    for (const auto& [row, share] : uses[u])
      left[row] -= share * moved;
    x.value = value;
    x.error = 1 / std::sqrt(bottom);
    largest = std::max(largest, std::abs(moved));
  }
  return largest;
}

// The lower triangle of what the rows and the priors say of the unknowns together, row by row.
std::vector<double> information(
    const std::vector<Equation>& equations,
    const std::vector<double>& weights,
    const std::vector<Unknown>& unknowns) {
  const size_t n = unknowns.size();
  std::vector<double> out(n * n);
  for (size_t u = 0; u < n; ++u)
    out[u * n + u] = 1 / (unknowns[u].prior * unknowns[u].prior);
  for (size_t row = 0; row < equations.size(); ++row)
    for (const auto& [a, share_a] : equations[row].shares)
      for (const auto& [b, share_b] : equations[row].shares)
        if (b <= a)
          out[a * n + b] += weights[row] * share_a * share_b;
  return out;
}

// Cholesky's factor in its place: L with L L^T = what was given.
void factorize(std::vector<double>& lower, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = lower[i * n + j];
      for (size_t k = 0; k < j; ++k)
        sum -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = i == j ? std::sqrt(sum) : sum / lower[j * n + j];
    }
  }
}

// Each with the others unknown too: the root of the diagonal of the inverse, by a column of L^-1 each.
void set_errors(std::vector<double> lower, std::vector<Unknown>& unknowns) {
  const size_t n = unknowns.size();
  factorize(lower, n);
  std::vector<double> column(n);
  for (size_t u = 0; u < n; ++u) {
    double square = 0;
    for (size_t i = u; i < n; ++i) {
      double sum = i == u ? 1 : 0;
      for (size_t k = u; k < i; ++k)
        sum -= lower[i * n + k] * column[k];
      column[i] = sum / lower[i * n + i];
      square += column[i] * column[i];
    }
    unknowns[u].error = std::sqrt(square);
  }
}

}  // namespace

double solve_robustly(const std::vector<Equation>& equations, std::vector<Unknown>& unknowns) {
  std::vector<std::vector<std::pair<size_t, double>>> uses(unknowns.size());
  for (size_t row = 0; row < equations.size(); ++row)
    for (const auto& [u, share] : equations[row].shares)
      uses[u].emplace_back(row, share);
  double scale = 1;
  std::vector<double> weights(equations.size());
  std::vector<double> left(equations.size());
  for (int round = 0; round < kReweightings; ++round) {
    const std::vector<double> standardized = residuals(equations, unknowns);
    scale = scatter(standardized);
    for (size_t row = 0; row < equations.size(); ++row) {
      const Equation& e = equations[row];
      // The first rounds start from wherever the unknowns stand: a milder weight keeps rows that will fit
      // later.
      const double off = standardized[row] / scale / (round < kReweightings / 2 ? kMildCut : kTukeyCut);
      const double keep =
          round < kReweightings / 2 ? 1 / (1 + off * off) : std::pow(std::max(0.0, 1 - off * off), 2);
      weights[row] = keep / (e.deviation * e.deviation * scale * scale);
      left[row] = residual(e, unknowns);
    }
    for (int i = 0; i < kSweeps && sweep(uses, weights, left, unknowns) > kSettled; ++i) {
    }
  }
  if (unknowns.size() <= kMostTogether)
    set_errors(information(equations, weights, unknowns), unknowns);
  return scale;
}

double spread_around(const std::vector<double>& values, double centre) {
  if (values.size() < 3)
    return 0;
  std::vector<double> distances;
  for (const double v : values)
    distances.push_back(std::abs(v - centre));
  return kNormalPerMedian * evidence::median(distances);
}

}  // namespace lento::chip

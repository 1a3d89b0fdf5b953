#include "chip/fit/robust.h"

#include <algorithm>
#include <cmath>

#include "base/stats.h"
#include "chip/fit/tuning.h"

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
  return std::max(1.0, kNormalPerMedian * base::median(sizes));
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
    double top = 0;
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
  return scale;
}

double spread_around(const std::vector<double>& values, double centre) {
  if (values.size() < 3)
    return 0;
  std::vector<double> distances;
  for (const double v : values)
    distances.push_back(std::abs(v - centre));
  return kNormalPerMedian * base::median(distances);
}

}  // namespace lento::chip

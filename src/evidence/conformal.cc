// Computes conformal bounds. A bound is an order statistic of the measured scores, to which the new row's
// own score is added as infinitely large.
#include "evidence/conformal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "evidence/sample.h"

namespace lento::evidence {

// Returns the value that a new score exceeds with probability at most `miss`. Infinite with too few scores.
double conformal_bound(std::span<const double> scores, double miss) {
  const double all = double(scores.size()) + 1;
  // The number of rows, the new one among them, that may lie above the bound. The factor keeps an exact
  // product such as 0.1 * 10 from being rounded down to the next lower integer.
  const double above = std::floor(std::clamp(miss, 0.0, 1.0) * all * (1 + 1e-12));
  if (above < 1)
    return std::numeric_limits<double>::infinity();
  std::vector<double> scratch(scores.begin(), scores.end());
  const double place = std::max(0.0, all - above - 1);
  return scratch.empty() ? std::numeric_limits<double>::infinity()
                         : nth_smallest_reordering(std::span(scratch), size_t(place));
}

double weighted_conformal_bound(
    std::span<const double> scores,
    std::span<const double> weights,
    double own_weight,
    double miss) {
  LENTO_CHECK(scores.size() == weights.size(), "each score has one weight");
  std::vector<std::pair<double, double>> rows;
  for (size_t i = 0; i < scores.size(); ++i)
    rows.emplace_back(scores[i], weights[i]);
  rows.emplace_back(std::numeric_limits<double>::infinity(), own_weight);
  return weighted_quantile(std::move(rows), (1 - miss) * (1 - 1e-12));
}

}  // namespace lento::evidence

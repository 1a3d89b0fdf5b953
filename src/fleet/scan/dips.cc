// A quantile of a window moves when nearly all of its samples do. Each size of a deviation has its own share
// of rows, and rows of one run of them count as one event. The chance of a window is then the tail of a
// binomial distribution.
#include "fleet/scan/dips.h"

#include <algorithm>
#include <cmath>

#include "fleet/scan/gauss.h"

namespace lento::fleet {

size_t Dips::sizes_up_to(double change) {
  if (!(change >= kLeastSpread))
    return 0;
  return std::min(size_t(2 * std::log2(change / kLeastSpread)) + 1, kSizes);
}

void Dips::add(size_t machine, double under_upper, double over_lower) {
  if (std::isnan(under_upper) || std::isnan(over_lower))
    return;
  ++rows_;
  const std::array<double, 2> off{over_lower, under_upper};
  for (size_t side = 0; side < 2; ++side) {
    const size_t sizes = sizes_up_to(off[side]);
    for (size_t i = 0; i < sizes; ++i) {
      ++counts_[side][i];
      starts_[side][i] += i >= last_[machine][side];
    }
    last_[machine][side] = uint8_t(sizes);
  }
}

double Dips::z(bool upper, double change, size_t rows) const {
  const size_t sizes = sizes_up_to(change);
  if (sizes == 0)
    return 0;
  const double count = counts_[upper][sizes - 1] + 1;
  const double p = std::min(1.0, count / (rows_ + 2));
  if (p == 1)
    return 0;
  // Runs are longer than chance makes them where rows are not independent.
  const double together = std::max(1.0, (1 - p) * count / (starts_[upper][sizes - 1] + 1));
  const double n = std::max(1.0, double(rows) / together);
  const double needed = std::floor(0.9 * (n - 1)) + 1;
  double tail = 0;
  for (double hits = needed; hits <= n; ++hits) {
    const double ways = std::lgamma(n + 1) - std::lgamma(hits + 1) - std::lgamma(n - hits + 1);
    tail += std::exp(ways + hits * std::log(p) + (n - hits) * std::log1p(-p));
  }
  return tail >= 0.5 ? 0 : normal_upper(tail);
}

double Dips::least_change(bool upper, double z_wanted, size_t rows) const {
  for (size_t size = 0; size < kSizes; ++size) {
    const double change = kLeastSpread * std::exp2(double(size) / 2 + 1e-6);
    if (z(upper, change, rows) >= z_wanted)
      return change;
  }
  return INFINITY;
}

}  // namespace lento::fleet

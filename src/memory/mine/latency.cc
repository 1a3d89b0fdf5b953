// Counts latencies exactly, short ones in a table and long ones in a map, and computes quantiles. Cost: a
// quantile passes over all distinct values.
#include "memory/mine/latency.h"

#include <algorithm>
#include <cmath>

namespace lento::memory {

std::vector<std::pair<uint64_t, uint64_t>> LatencyHistogram::values() const {
  std::vector<std::pair<uint64_t, uint64_t>> out;
  for (size_t v = 0; v < small_.size(); ++v) {
    if (small_[v] != 0)
      out.emplace_back(v, small_[v]);
  }
  out.insert(out.end(), large_.begin(), large_.end());
  return out;
}

uint64_t LatencyHistogram::at_least(double threshold) const {
  uint64_t n = 0;
  for (const auto& [value, count] : values())
    n += double(value) >= threshold ? count : 0;
  return n;
}

uint64_t LatencyHistogram::minimum() const {
  const auto all = values();
  if (all.empty())
    return 0;
  return all.front().first;
}

uint64_t LatencyHistogram::rank_value(uint64_t rank) const {
  uint64_t below = 0;
  uint64_t last = 0;
  for (const auto& [value, count] : values()) {
    below += count;
    last = value;
    if (rank < below)
      break;
  }
  return last;
}

double LatencyHistogram::quantile(double q, QuantileRule rule, uint32_t bin) const {
  if (total_ == 0)
    return 0;
  const double n = double(total_);
  if (rule == QuantileRule::NearestRank) {
    const double rank = std::max(1.0, std::ceil(q * n - 1e-9));
    return double(rank_value(uint64_t(rank) - 1));
  }
  if (rule == QuantileRule::Linear) {
    const double h = q * (n - 1);
    const auto low = uint64_t(h);
    const double a = double(rank_value(low));
    const double b = double(rank_value(std::min(low + 1, total_ - 1)));
    return a + (h - double(low)) * (b - a);
  }
  std::map<uint64_t, uint64_t> bins;
  for (const auto& [value, count] : values())
    bins[value / bin] += count;
  double below = 0;
  for (const auto& [index, count] : bins) {
    const double inside = double(count);
    if (below + inside >= q * n)
      return double(index) * bin + bin * (q * n - below) / inside;
    below += inside;
  }
  return 0;
}

}  // namespace lento::memory

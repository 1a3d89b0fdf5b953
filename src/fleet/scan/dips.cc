// Judges a quantile of a window, which moves only when nearly all samples of the window do. Healthy samples
// give the probability that one sample deviates so far, with consecutive ones as one event. The tail of a
// binomial distribution then gives the probability for a window.
#include "fleet/scan/dips.h"

#include <algorithm>
#include <cmath>

#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

constexpr double kSizesADoubling = 4;

// Returns the number of ways to choose `hits` of n rows (a binomial coefficient).
double ways(double n, double hits) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(hits + 1) - std::lgamma(n - hits + 1));
}

}  // namespace

size_t Dips::sizes_up_to(double change) {
  if (!(change >= kLeastSpread))
    return 0;
  return std::min(size_t(kSizesADoubling * std::log2(change / kLeastSpread)) + 1, kSizes);
}

Dips::Sizes Dips::sizes_of(double under_upper, double over_lower) {
  return {uint8_t(sizes_up_to(over_lower)), uint8_t(sizes_up_to(under_upper))};
}

void Dips::add(size_t machine, double under_upper, double over_lower) {
  if (std::isnan(under_upper) || std::isnan(over_lower))
    return;
  ++rows_;
  const Sizes sizes = sizes_of(under_upper, over_lower);
  for (size_t side = 0; side < 2; ++side) {
    for (size_t i = 0; i < sizes[side]; ++i) {
      ++counts_[side][i];
      starts_[side][i] += i >= last_[machine][side];
    }
  }
  last_[machine] = sizes;
}

void Dips::begin_row() {
  newest_.push_front(std::move(newest_.back()));
  newest_.pop_back();
  newest_.front() = Row(last_.size());
  ++seen_;
}

void Dips::see(size_t machine, double under_upper, double over_lower) {
  if (std::isnan(under_upper) || std::isnan(over_lower))
    return;
  Row& row = newest_.front();
  row.sizes[machine] = sizes_of(under_upper, over_lower);
  ++row.machines;
  for (size_t side = 0; side < 2; ++side) {
    for (size_t i = 0; i < row.sizes[machine][side]; ++i)
      ++row.counts[side][i];
  }
}

void Dips::widen(double least, double most) {
  least_ = std::min(least_, least);
  most_ = std::max(most_, most);
}

Dips::Chance Dips::chance(bool upper, size_t sizes) const {
  const double count = counts_[upper][sizes - 1] + 1;
  const double p = std::min(1.0, count / (rows_ + 2));
  // The second number is how many times longer the runs of deviating samples are than those of independent
  // samples, whose mean length is 1 / (1 - p).
  return {p, std::max(1.0, (1 - p) * count / (starts_[upper][sizes - 1] + 1))};
}

double Dips::z(bool upper, double change, size_t rows) const {
  const size_t sizes = sizes_up_to(change);
  if (sizes == 0)
    return 0;
  const Chance one = chance(upper, sizes);
  if (one.p == 1)
    return 0;
  const double n = std::max(1.0, double(rows) / one.together);
  const double needed = std::floor(0.9 * (n - 1)) + 1;
  double tail = 0;
  for (double hits = needed; hits <= n; ++hits)
    tail += ways(n, hits) * std::exp(hits * std::log(one.p) + (n - hits) * std::log1p(-one.p));
  return tail >= 0.5 ? 0 : normal_upper(tail);
}

double Dips::z_of(size_t machine, bool upper, double change, size_t rows) const {
  const size_t sizes = sizes_up_to(change);
  if (sizes == 0 || rows > newest_.size() || seen_ < newest_.size())
    return z(upper, change, rows);
  const Chance one = chance(upper, sizes);
  double by_past = 0;  // logarithms
  double by_peers = 0;
  double hits = 0;
  for (size_t back = 0; back < rows; ++back) {
    const Row& row = newest_[back];
    if (row.sizes[machine][upper] < sizes)
      continue;
    ++hits;
    by_past += std::log(one.p);
    by_peers += std::log(row.counts[upper][sizes - 1] / row.machines);
  }
  // The smaller of the two probabilities counts. It is doubled because it was chosen from two, and
  // multiplied by the number of ways in which so many rows can deviate.
  const double p = 2 * ways(double(rows), hits) * std::exp(std::min(by_past, by_peers) / one.together);
  return p >= 0.5 ? 0 : normal_upper(p);
}

double Dips::least_change(bool upper, double z_wanted, size_t rows) const {
  for (size_t size = 0; size < kSizes; ++size) {
    const double change = kLeastSpread * std::exp2(double(size) / kSizesADoubling + 1e-6);
    if (z(upper, change, rows) >= z_wanted)
      return change;
  }
  return INFINITY;
}

}  // namespace lento::fleet

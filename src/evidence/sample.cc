// Quantiles use selection instead of sorting. Statistics of all pairs (Qn) are selected
// without listing the pairs: non-negative doubles are ordered as their bit patterns, so at most 64 halvings
// of the pattern find the exact k-th value, and each halving counts the pairs below it with two pointers.
#include "evidence/sample.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace lento::evidence {
namespace {

// The smallest d >= 0 with at least k pairs at or below it, where `count(d)` never falls with d.
template <class Count>
double kth_of_pairs(double largest, uint64_t k, Count count) {
  uint64_t low = 0;
  uint64_t high = std::bit_cast<uint64_t>(largest);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (count(std::bit_cast<double>(middle)) >= k)
      high = middle;
    else
      low = middle + 1;
  }
  return std::bit_cast<double>(low);
}

// Counts pairs of values at most `d` apart.
uint64_t distances_within(const std::vector<double>& sorted, double d) {
  uint64_t pairs = 0;
  size_t j = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    while (j + 1 < sorted.size() && sorted[j + 1] - sorted[i] <= d)
      ++j;
    pairs += j - i;
  }
  return pairs;
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  std::ranges::sort(out);
  return out;
}

// The factor that makes Qn unbiased for n normal values (Croux, Rousseeuw 1992, table 1 and formula beyond).
double small_sample_factor(size_t n) {
  constexpr double kTable[] = {0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};  // n = 2..9
  if (n <= 9)
    return kTable[n - 2];
  return double(n) / (double(n) + (n % 2 ? 1.4 : 3.8));
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double v : values)
    sum += v;
  if (values.empty())
    return 0;
  return sum / double(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2)
    return 0;
  const double centre = mean(values);
  double sum = 0;
  for (const double v : values)
    sum += (v - centre) * (v - centre);
  return sum / double(values.size() - 1);
}

// Returns a quantile, interpolated. The values are reordered.
double quantile_reordering(std::span<double> values, double q) {
  if (values.empty())
    return 0;
  const double position = std::clamp(q, 0.0, 1.0) * double(values.size() - 1);
  const size_t low = size_t(position);
  const double at_low = nth_smallest_reordering(values, low);
  if (low + 1 == values.size())
    return at_low;
  const double at_high = *std::min_element(values.begin() + static_cast<ptrdiff_t>(low) + 1, values.end());
  return at_low + (position - double(low)) * (at_high - at_low);
}

double quantile(std::span<const double> values, double q) {
  std::vector<double> scratch(values.begin(), values.end());
  return quantile_reordering(scratch, q);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double mad(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distance(values.size());
  std::ranges::transform(values, distance.begin(), [&](double v) {
    return std::fabs(v - centre);
  });
  return median_reordering(distance);
}

double qn_spread(std::span<const double> values) {
  constexpr double kNormal = 2.21914446598508;  // 1 / (sqrt(2) * quantile of 5/8)
  const uint64_t n = values.size();
  if (n < 2)
    return 0;
  const std::vector<double> sorted = sorted_copy(values);
  const uint64_t half = n / 2 + 1;
  const double d = kth_of_pairs(sorted.back() - sorted.front(), half * (half - 1) / 2, [&](double limit) {
    return distances_within(sorted, limit);
  });
  return kNormal * small_sample_factor(n) * d;
}

double weighted_quantile(std::vector<std::pair<double, double>> value_and_weight, double share) {
  std::ranges::sort(value_and_weight);
  double all = 0;
  for (const auto& [value, weight] : value_and_weight)
    all += weight;
  double below = 0;
  for (const auto& [value, weight] : value_and_weight) {
    below += weight;
    if (below >= share * all)
      return value;
  }
  return value_and_weight.empty() ? 0 : value_and_weight.back().first;
}

}  // namespace lento::evidence

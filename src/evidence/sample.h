// Location, spread and order statistics of a sample: the one home of every median, quantile and spread.
//
// All values are finite and in the caller's unit, and results have the same unit. No order is assumed.
// Functions whose name ends in `_reordering` use their input as working space, so that hot loops need no
// copy. Sources: Hyndman and Fan 1996 (quantiles), Hampel 1974 (MAD), Rousseeuw and Croux 1993 (Qn).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace lento::evidence {

// A normal distribution's standard deviation over its median absolute deviation: 1 / quantile of 3/4.
constexpr double kSigmaOfMad = 1.482602218505602;

double mean(std::span<const double> values);      // 0 when empty
double variance(std::span<const double> values);  // unbiased; 0 under two values

// Linear between order statistics (type 7 of Hyndman and Fan); q is held in [0, 1], 0 when empty.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);  // the mean of the middle two of an even count; 0 when empty
double mad(std::span<const double> values);     // median distance from the median, unscaled; 0 when empty

// Standard deviation of normal values by the first quartile of all pairwise distances: efficiency 82 %, half
// of the values may be wild. Unbiased for small samples (Croux and Rousseeuw 1992). 0 under two values. Cost:
// n log n and 64 passes, no matrix of pairs.
double qn_spread(std::span<const double> values);

// The smallest value with at least `share` of the weight at or below it. Pairs are value, weight >= 0. 0 when
// empty.
double weighted_quantile(std::vector<std::pair<double, double>> value_and_weight, double share);

// Returns the value at index n of the sorted values. n must be below values.size().
template <class T>
T nth_smallest_reordering(std::span<T> values, size_t n) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Return the lower and the upper of the two middle values, both the middle one of an odd number. `values`
// must not be empty.
template <class T>
T lower_median_reordering(std::span<T> values) {
  return nth_smallest_reordering(values, (values.size() - 1) / 2);
}
template <class T>
T upper_median_reordering(std::span<T> values) {
  return nth_smallest_reordering(values, values.size() / 2);
}

double quantile_reordering(std::span<double> values, double q);
inline double median_reordering(std::span<double> values) {
  return quantile_reordering(values, 0.5);
}

}  // namespace lento::evidence

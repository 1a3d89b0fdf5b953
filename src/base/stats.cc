// Robust statistics. Measurements of real machines contain outliers, so detectors rest on medians and median
// absolute deviations. Intervals of rates use Wilson's score (1927), which stays inside [0, 1] for small
// counts.
#include "base/stats.h"

#include <algorithm>
#include <cmath>

namespace lento::base {
namespace {

double ratio(double part, double whole) {
  if (whole > 0)
    return part / whole;
  return 0;
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

double quantile(std::vector<double> values, double q) {
  if (values.empty())
    return 0;
  const double position = std::clamp(q, 0.0, 1.0) * double(values.size() - 1);
  const size_t low = size_t(position);
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(low), values.end());
  const double at_low = values[low];
  if (low + 1 == values.size())
    return at_low;
  const double at_high = *std::min_element(values.begin() + static_cast<ptrdiff_t>(low) + 1, values.end());
  return at_low + (position - double(low)) * (at_high - at_low);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

double mad(const std::vector<double>& values) {
  const double centre = median(values);
  std::vector<double> distance(values.size());
  std::transform(values.begin(), values.end(), distance.begin(), [&](double v) {
    return std::fabs(v - centre);
  });
  return median(std::move(distance));
}

Interval wilson95(uint64_t hits, uint64_t trials) {
  if (trials == 0)
    return {0, 1};
  constexpr double z = 1.959963984540054;
  const double n = double(trials);
  const double p = double(hits) / n;
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

double Confusion::precision() const {
  return ratio(double(true_positive), double(true_positive + false_positive));
}
double Confusion::recall() const {
  return ratio(double(true_positive), double(true_positive + false_negative));
}
double Confusion::f1() const {
  return ratio(2.0 * double(true_positive), double(2 * true_positive + false_positive + false_negative));
}
double Confusion::false_alarm_rate() const {
  return ratio(double(false_positive), double(false_positive + true_negative));
}
double Confusion::accuracy() const {
  return ratio(
      double(true_positive + true_negative),
      double(true_positive + true_negative + false_positive + false_negative));
}

}  // namespace lento::base

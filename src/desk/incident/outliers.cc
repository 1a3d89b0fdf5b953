// Rosner's procedure from the outside in: candidates are taken out one by one, and the last candidate that
// still deviates from the rest decides how many are outliers. The tail of Student's t is the regularised
// incomplete beta function by its continued fraction (Abramowitz and Stegun 26.5.8, 26.7.1).
#include "desk/incident/outliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/stats.h"

namespace lento::desk {
namespace {

constexpr size_t kFewest = 4;

// Lentz's evaluation of the continued fraction of the incomplete beta function.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 500;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      c = std::abs(c) < kTiny ? kTiny : c;
      value *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-13)
      break;
  }
  return value;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double distance(double value, double centre, Side side) {
  switch (side) {
    case Side::Low:
      return centre - value;
    case Side::High:
      return value - centre;
    default:
      return std::abs(value - centre);
  }
}

}  // namespace

double student_tail(double t, double freedom) {
  if (std::isnan(t) || freedom <= 0)
    return 1;
  if (std::isinf(t))
    return t > 0 ? 0 : 1;
  const double half = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t > 0 ? half : 1 - half;
}

std::vector<Outlier> outliers(std::span<const double> values, Side side, double false_alarms, double floor) {
  std::vector<Outlier> found;
  if (values.size() < kFewest)
    return found;
  std::vector<size_t> left(values.size());
  std::iota(left.begin(), left.end(), size_t{0});
  const size_t most = std::max<size_t>(1, values.size() / 4);
  size_t real = 0;
  for (size_t taken = 0; taken < most && left.size() >= kFewest; ++taken) {
    std::vector<double> now;
    for (const size_t i : left)
      now.push_back(values[i]);
    const double centre = base::median(now);
    const auto far = std::ranges::max_element(left, {}, [&](size_t i) {
      return distance(values[i], centre, side);
    });
    const size_t candidate = *far;
    left.erase(far);
    now.clear();
    for (const size_t i : left)
      now.push_back(values[i]);
    const double mean = base::mean(now);
    const double spread = std::max(std::sqrt(base::variance(now)), floor);
    const double apart = distance(values[candidate], mean, side);
    const double n = double(now.size());
    Outlier outlier{candidate, 0, 1};
    if (apart > 0) {
      outlier.t = apart / (spread * std::sqrt(1 + 1 / n));
      const double sides = side == Side::Both ? 2 : 1;
      outlier.false_alarm = std::min(1.0, sides * (n + 1) * student_tail(outlier.t, n - 1));
    }
    found.push_back(outlier);
    if (outlier.false_alarm <= false_alarms)
      real = found.size();
  }
  found.resize(real);
  return found;
}

}  // namespace lento::desk

// Regularised incomplete gamma and beta functions by Lentz's continued fraction. Their quantiles are found by
// halving an interval, which is slower than Newton's method but cannot diverge and needs no starting value.
// The normal law's quantile is needed in inner loops and has a starting value from which Newton's method
// cannot diverge.
#include "evidence/distribution.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace lento::evidence {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-300;      // keeps Lentz's ratios from division by zero
constexpr double kPrecision = 1e-15;  // relative change that ends a series
constexpr int kMostSteps = 50;        // Newton's method takes about six
constexpr int kMostTerms = 100'000;   // convergence takes about sqrt(max(a, b)) terms

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

// b0 + a1 / (b1 + a2 / (b2 + ...)), where next(n) returns (a_n, b_n).
template <class Next>
double continued_fraction(double b0, Next next) {
  double value = b0 == 0 ? kTiny : b0;
  double c = value;
  double d = 0;
  for (int n = 1; n < kMostTerms; ++n) {
    const auto [a, b] = next(n);
    d = b + a * d;
    c = b + a / c;
    d = 1 / (d == 0 ? kTiny : d);
    c = c == 0 ? kTiny : c;
    value *= c * d;
    if (std::fabs(c * d - 1) < kPrecision)
      break;
  }
  return value;
}

// The argument in [low, high] at which the rising `cdf` reaches p.
template <class Cdf>
double inverse(double p, double low, double high, Cdf cdf) {
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high)
      break;
    (cdf(middle) < p ? low : high) = middle;
  }
  return high;
}

}  // namespace

double normal_cdf(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double normal_quantile(double p) {
  if (!(p > 0))
    return -kInfinity;
  if (p >= 1)
    return kInfinity;
  if (p > 0.5)
    return -normal_quantile(1 - p);
  // Newton's method on the logarithm, which is concave: it rises to the root from below and cannot pass it.
  double z = -std::sqrt(-2 * std::log(p));  // below the root, because Phi(-x) <= exp(-x^2 / 2) / 2
  for (int i = 0; i < kMostSteps; ++i) {
    const double below = normal_cdf(z);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = std::log(p / below) * below / density;
    if (!(step > -z * kPrecision))
      break;
    z += step;
  }
  return z;
}

double beta_cdf(double x, double a, double b) {
  if (!(x > 0))
    return 0;
  if (x >= 1)
    return 1;
  if (x > (a + 1) / (a + b + 2))
    return 1 - beta_cdf(1 - x, b, a);
  const double scale =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  const double fraction = continued_fraction(1, [&](int n) {
    const int m = n / 2;
    if (n % 2)
      return std::pair(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0);
    return std::pair(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0);
  });
  return scale / (a * fraction);
}

double beta_quantile(double p, double a, double b) {
  return inverse(p, 0, 1, [&](double x) {
    return beta_cdf(x, a, b);
  });
}

double student_quantile(double p, double freedom) {
  if (p < 0.5)
    return -student_quantile(1 - p, freedom);
  // With t: freedom / (freedom + t^2) is beta distributed with freedom / 2 and 1/2.
  const double x = beta_quantile(2 * (1 - p), freedom / 2, 0.5);
  return x > 0 ? std::sqrt(freedom * (1 - x) / x) : kInfinity;
}

}  // namespace lento::evidence

// Wilson's interval solves a quadratic. Clopper and Pearson's ends are quantiles of beta distributions,
// because the tail of a binomial distribution is an incomplete beta function.
#include "evidence/share.h"

#include <algorithm>
#include <cmath>

#include "evidence/distribution.h"

namespace lento::evidence {
namespace {

double ratio(double part, double whole) {
  if (whole > 0)
    return part / whole;
  return 0;
}

}  // namespace

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

Interval exact_share_interval(uint64_t hits, uint64_t trials, double level) {
  const double outside = (1 - level) / 2;
  const double k = double(hits);
  const double n = double(trials);
  Interval out{0, 1};
  if (hits > 0)
    out.low = beta_quantile(outside, k, n - k + 1);
  if (hits < trials)
    out.high = beta_quantile(1 - outside, k + 1, n - k);
  return out;
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

}  // namespace lento::evidence

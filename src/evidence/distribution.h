// Distribution functions, their quantiles, and intervals of a share: what turns a score into a chance.
//
// Accuracy: ten digits and more in the range used (tests compare closed forms). Arguments outside their
// domain are clamped. Sources: continued fractions of Abramowitz and Stegun 6.5.31 and 26.5.8 by Lentz's
// method, Wilson 1927, Clopper and Pearson 1934.
#pragma once

#include <cstdint>

namespace lento::evidence {

struct Interval {
  double low = 0;
  double high = 0;
};

double normal_cdf(double z);
double normal_quantile(double p);                   // p in (0, 1), -inf and inf at the ends
double chi_squared_tail(double x, double freedom);  // chance of x or more, freedom > 0
double beta_cdf(double x, double a, double b);      // a, b > 0
double beta_quantile(double p, double a, double b);
double student_quantile(double p, double freedom);  // freedom > 0

// Wilson score interval of `hits` in `trials` at 95 %, [0, 1] when trials is 0.
Interval wilson95(uint64_t hits, uint64_t trials);

// Clopper and Pearson's interval: covers the true share at least `level` of the time, whatever it is. [0, 1]
// when trials is 0. An audit uses it, because a promise must not be called broken by an approximation.
Interval exact_share_interval(uint64_t hits, uint64_t trials, double level);

}  // namespace lento::evidence

// Distribution functions and their quantiles, which turn a score into a chance.
//
// Accuracy: ten digits and more in the range used (tests compare closed forms). Arguments outside their
// domain are clamped. Sources: the continued fraction of Abramowitz and Stegun 26.5.8 by Lentz's method.
#pragma once

namespace lento::evidence {

// Standard deviations on each side of a 90 % interval of a normal distribution.
inline constexpr double kNinety = 1.645;

double normal_cdf(double z);
double normal_quantile(double p);               // p in (0, 1), -inf and inf at the ends
double beta_cdf(double x, double a, double b);  // a, b > 0
double beta_quantile(double p, double a, double b);
double student_quantile(double p, double freedom);  // freedom > 0

}  // namespace lento::evidence

// Computes z for the small tail probabilities that budgets of false alarms give. A deviation divided by an
// estimated spread (a t statistic) becomes the z that is as unlikely (Wallace, "Bounds on normal
// approximations to Student's and the chi-square distributions", 1959).
#include "fleet/scan/gauss.h"

#include <algorithm>
#include <cmath>

#include "evidence/distribution.h"

namespace lento::fleet {

double normal_upper(double p) {
  return -evidence::normal_quantile(std::clamp(p, 1e-100, 1.0));
}

double normal_equivalent(double t, double freedom) {
  const double correction = (8 * freedom + 1) / (8 * freedom + 3);
  return std::copysign(correction * std::sqrt(freedom * std::log1p(t * t / freedom)), t);
}

}  // namespace lento::fleet

// Budgets of false alarms are probabilities far out in a tail. One scale, the normal z, serves all of them: a
// deviation over an estimated spread becomes the z that is as unlikely (Wallace, "Bounds on normal
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

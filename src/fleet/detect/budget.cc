#include "fleet/detect/budget.h"

#include <algorithm>
#include <cmath>

namespace lento::fleet {

double normal_threshold(double p) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 80; ++i) {
    const double mid = (low + high) / 2;
    (std::erfc(mid / std::sqrt(2.0)) > p ? low : high) = mid;
  }
  return (low + high) / 2;
}

double budget_threshold(const Looks& looks, double budget) {
  const double tests = 2 * double(looks.machines * looks.metrics) * looks.looks_per_day;
  return normal_threshold(std::clamp(budget / std::max(tests, 1.0), 1e-15, 0.5));
}

}  // namespace lento::fleet

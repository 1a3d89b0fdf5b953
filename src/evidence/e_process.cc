// The normal mixture has a closed form: with a = count + 1 / effect^2 the integral of exp(d sum - d^2 count /
// 2) over d > 0 is 2 / (effect sqrt(a)) exp(sum^2 / (2 a)) Phi(sum / sqrt(a)). Logarithms keep long runs
// finite.
#include "evidence/e_process.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evidence/distribution.h"

namespace lento::evidence {

void NormalMixture::add(double deviations) {
  sum += deviations;
  ++count;
}

double NormalMixture::log_value() const {
  const double a = double(count) + 1 / (effect * effect);
  const double z = sum / std::sqrt(a);
  const double outer = std::log(2 / (effect * std::sqrt(a)));
  if (z < -30)  // Phi(z) exp(z^2 / 2) = 1 / (|z| sqrt(2 pi)) but for a share of 1 / z^2
    return outer - std::log(-z * 2.5066282746310002);
  return outer + z * z / 2 + std::log(normal_cdf(z));
}

void BoundedBets::add(double value) {
  const double gain = std::clamp(value, 0.0, 1.0) - healthy_mean;
  for (size_t k = 0; k < kBets; ++k)
    log_wealth[k] += std::log1p(double(k + 1) / double(kBets + 1) / healthy_mean * gain);
}

double BoundedBets::log_value() const {
  const double top = *std::ranges::max_element(log_wealth);
  double sum = 0;
  for (const double w : log_wealth)
    sum += std::exp(w - top);
  return top + std::log(sum / double(kBets));
}

void ChangeWatch::add(double e) {
  value = std::min(std::numeric_limits<double>::max(), std::max(0.0, e) * (1 + value));
}

double normal_e(double deviations, double effect) {
  return std::exp(effect * deviations - effect * effect / 2);
}

double e_of_chance(double p) {
  if (!(p > 0))
    return std::numeric_limits<double>::infinity();
  if (p >= 1)
    return 0.5;  // the limit of the formula
  const double l = std::log(p);
  if (l > -1e-4)
    return 0.5 - l / 6;  // the formula's series, where its terms cancel
  return (1 - p + p * l) / (p * l * l);
}

}  // namespace lento::evidence

// A deviation is judged by what healthy machines did before. Problem: few blocks of one machine say little of
// its variance, and no number of blocks shows the tail that a budget of one false alarm a month asks for.
//   s_m^2 = (v0 s0^2 + n_m s_m^2) / (v0 + n_m)      v0 from how much the machines' variances differ
//   threshold(z) = x_k (z / q_k)^a                  x_k: k-th largest of N learnt, q_k: a normal law's
// Source: Smyth, "Linear models and empirical Bayes methods" (2004) for the first line. The second extends
// the largest values along a straight line in a log-log plot against normal quantiles (a = 1: normal law).
#include "fleet/scan/noise.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

constexpr size_t kKept = 100;     // largest values
constexpr double kMemory = 1000;  // blocks of a machine; older ones fade

}  // namespace

void Noise::learn(size_t machine, double difference, double z) {
  float& count = counts_[machine];
  float& square = squares_[machine];
  count = float(std::min(double(count) + 1, kMemory));
  square += (float(difference * difference) - square) / count;
  ++learnt_;
  if (!(z > 0) || (largest_.size() == kKept && z <= largest_.back()))
    return;
  const auto at = std::ranges::lower_bound(largest_, float(z), std::greater<>());
  largest_.insert(at, float(z));
  if (largest_.size() > kKept)
    largest_.pop_back();
}

void Noise::refresh() {
  double weight = 0;
  double sum = 0;
  double machines = 0;
  for (size_t m = 0; m < counts_.size(); ++m) {
    weight += double(counts_[m]);
    sum += double(counts_[m]) * double(squares_[m]);
    machines += counts_[m] > 0;
  }
  if (weight == 0 || sum == 0) {
    prior_freedom_ = weight;
    return;
  }
  pooled_ = sum / weight;
  double apart = 0;
  for (size_t m = 0; m < counts_.size(); ++m) {
    const double off = double(squares_[m]) / pooled_ - 1;
    apart += double(counts_[m]) * off * off / weight;
  }
  const double by_chance = 2 * machines / weight;
  const double excess = machines > 1 ? apart - by_chance : 0;
  const double most = std::max(1.0, weight - 1);
  prior_freedom_ = excess > 0 ? std::min(most, 4 + 2 / excess) : most;
  slope_ = 1;
  const size_t k = std::min(largest_.size(), size_t(std::sqrt(learnt_)));
  double xx = 0;
  double xy = 0;
  for (size_t i = 0; i + 1 < k; ++i) {
    const double x =
        std::log(normal_upper((double(i) + 0.5) / learnt_) / normal_upper((double(k) - 0.5) / learnt_));
    xx += x * x;
    xy += x * std::log(double(largest_[i] / largest_[k - 1]));
  }
  if (xx > 0)
    slope_ = std::max(1.0, xy / xx);
}

bool Noise::known() const {
  return learnt_ >= 10;
}

double Noise::spread(size_t machine) const {
  const double n = double(counts_[machine]);
  const double own = double(squares_[machine]);
  return std::sqrt((prior_freedom_ * pooled_ + n * own) / std::max(1.0, prior_freedom_ + n));
}

double Noise::freedom(size_t machine) const {
  return std::clamp(prior_freedom_ + double(counts_[machine]), 1.0, std::max(1.0, learnt_ - 1));
}

double Noise::anchored(double z, size_t rank, double slope) const {
  const double quantile = normal_upper((double(rank) + 0.5) / learnt_);
  return double(largest_[rank]) * std::pow(std::max(1.0, z / quantile), slope);
}

double Noise::threshold(double z) const {
  const size_t k = std::min(largest_.size(), size_t(std::sqrt(learnt_)));
  if (k == 0)
    return z;
  return std::max({z, double(largest_.front()), anchored(z, k - 1, slope_)});
}

}  // namespace lento::fleet

// A deviation is judged by earlier differences between windows of healthy machines and their past. Problem:
// few windows of one machine do not determine its variance, and no number of windows shows the tail that is
// needed for one false alarm a month.
//   s_m^2 = g (v0 e_m s0^2 + n_m u_m) / (v0 + n_m)   variance of machine m
//     u_m      mean square of its n_m differences
//     s0^2     mean square of the differences of all machines, each over its e_m
//     e_m >= 1 how many times as noisy the machine surely is in single cells, of which it has many
//     g >= 1   growth of the variance with the length of the past, since the machines' levels wander: the
//              regression of all squares on the length, now over its mean
//     v0       weight of s0^2 as a number of differences, from how much the machines' variances differ
//              beyond what the scatter of the squares makes them differ
//   threshold(z) = x_k (z / q_k)^a                   at least the largest x
//     x_k      k-th largest of N learned differences, in multiples of s_m; q_k: its normal quantile
//     a        slope of the x over the q in a log-log plot, 1 for a normal distribution
// Source of the first formula: Smyth, "Linear models and empirical Bayes methods" (2004). The second extends
// the largest values along that straight line.
#include "fleet/scan/noise.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

constexpr size_t kKept = 100;       // number of largest differences that are stored
constexpr uint16_t kMemory = 1000;  // windows of a machine in its variance; the weight of older ones decays

}  // namespace

void Noise::Line::learn(double x, double y, double memory) {
  count = std::min(count + 1, memory);
  const double dx = x - past;
  const double dy = y - square;
  past += dx / count;
  square += dy / count;
  pasts += (dx * (x - past) - pasts) / count;
  squares += (dy * (y - square) - squares) / count;
  together += (dx * (y - square) - together) / count;
  newest = x;
}

double Noise::Line::growth() const {
  if (!(pasts > 0) || !(square > 0))
    return 1;
  const double slope = together / pasts;
  const double error = std::sqrt(std::max(0.0, squares - slope * together) / (pasts * count));
  return 1 + std::max(0.0, slope - 2 * error) * std::max(0.0, newest - past) / square;
}

void Noise::learn(size_t machine, double difference, double size, double past) {
  if (!std::isfinite(difference))
    return;
  uint16_t& count = counts_[machine];
  float& square = squares_[machine];
  count = std::min<uint16_t>(count + 1, kMemory);
  const double before = difference * difference - double(square);
  square += float(before / double(count));
  const double unit = expected(machine);
  within_ += before * (difference * difference - double(square)) / (unit * unit);
  line_.learn(past, difference * difference / unit, double(kMemory) * double(counts_.size()));
  ++learnt_;
  keep_large({float(size), uint32_t(machine)});
}

// Keeps a difference when it is among the kKept largest.
void Noise::keep_large(const Large& large) {
  if (!(large.size > 0) || (largest_.size() == kKept && large.size <= largest_.back().size))
    return;
  const auto at = std::ranges::lower_bound(largest_, large.size, std::greater<>(), &Large::size);
  largest_.insert(at, large);
  if (largest_.size() > kKept)
    largest_.pop_back();
}

void Noise::add_tail(const Tail& tail) {
  for (const Large& large : tail.largest)
    keep_large(large);
  learnt_ += tail.learnt;
  refresh();
}

void Noise::refresh() {
  double weight = 0;
  double sum = 0;
  double machines = 0;
  for (size_t m = 0; m < counts_.size(); ++m) {
    weight += double(counts_[m]);
    sum += double(counts_[m]) * double(squares_[m]) / expected(m);
    machines += counts_[m] > 0;
  }
  rounds_ += weight > seen_;
  seen_ = weight;
  prior_freedom_ = weight;
  if (sum == 0)
    return;
  pooled_ = sum / weight;
  growth_ = line_.growth();
  double apart = 0;
  for (size_t m = 0; m < counts_.size(); ++m) {
    const double off = double(squares_[m]) / expected(m) / pooled_ - 1;
    apart += double(counts_[m]) * off * off / weight;
  }
  // Variance of a squared difference over the square of its mean: two for a normal distribution, more for
  // bursts.
  const double again = weight - machines;
  const double scatter = again < 1 ? 2 : within_ / again / (pooled_ * pooled_);
  const double by_chance = scatter * machines / weight;
  const double excess = machines > 1 ? apart - by_chance : 0;
  const double most = std::max(1.0, weight - 1);
  prior_freedom_ = excess > 0 ? std::min(most, 4 + 2 / excess) : most;
  measure_tail();
}

// Measures how much heavier the tail is than that of a normal distribution.
void Noise::measure_tail() {
  z_.clear();
  for (const Large& l : largest_)
    z_.push_back(normal_equivalent(double(l.size) / std::max(spread(l.machine), 1e-9), freedom(l.machine)));
  std::ranges::sort(z_, std::greater<>());
  slope_ = 1;
  extremes_ = std::min(z_.size(), size_t(std::sqrt(learnt_)));
  if (extremes_ == 0)
    return;
  const auto quantile = [&](size_t rank) {
    return normal_upper((double(rank) + 0.5) / learnt_);
  };
  double xx = 0;
  double xy = 0;
  for (size_t i = 0; i + 1 < extremes_; ++i) {
    const double x = std::log(quantile(i) / quantile(extremes_ - 1));
    xx += x * x;
    xy += x * std::log(z_[i] / z_[extremes_ - 1]);
  }
  if (xx > 0)  // two standard errors less, so that only a significantly heavier tail counts
    slope_ = std::max(1.0, xy / xx * (1 - 2 / std::sqrt(double(extremes_))));
  anchor_ = quantile(extremes_ - 1);
}

bool Noise::known(size_t moments) const {
  return seen_ >= 10 && rounds_ >= moments;
}

double Noise::spread(size_t machine) const {
  const double n = double(counts_[machine]);
  const double own = double(squares_[machine]);
  const double guess = pooled_ * expected(machine);
  return std::sqrt(growth_ * (prior_freedom_ * guess + n * own) / std::max(1.0, prior_freedom_ + n));
}

double Noise::freedom(size_t machine) const {
  return std::clamp(prior_freedom_ + double(counts_[machine]), 1.0, std::max(1.0, seen_ - 1));
}

double Noise::threshold(double z) const {
  if (extremes_ == 0)
    return z;
  return std::max({z, z_.front(), z_[extremes_ - 1] * std::pow(std::max(1.0, z / anchor_), slope_)});
}

void PooledNoise::learn(double difference, double times, size_t machines) {
  if (!std::isfinite(difference))
    return;
  count_ = std::min(count_ + 1, double(kMemory) * double(machines));
  variance_ += (difference * difference / times - variance_) / count_;
}

}  // namespace lento::fleet

// Finds the stretch of a series with the highest sum above an allowance (Kadane's algorithm), and estimates
// noise from successive differences, which a jump of the level hardly affects. Cost: linear.
#include "fleet/ranks/stretch.h"

#include <algorithm>
#include <cmath>

#include "evidence/sample.h"

namespace lento::fleet::ranks {

double noise_of(std::span<const double> series) {
  double sum = 0;
  int count = 0;
  double last = NAN;
  for (const double v : series) {
    if (std::isnan(v))
      continue;
    if (!std::isnan(last)) {
      sum += (v - last) * (v - last);
      ++count;
    }
    last = v;
  }
  return count < 2 ? 0 : std::sqrt(sum / count / 2);
}

namespace {

// Kadane's algorithm: a running sum that restarts when it falls to zero.
std::pair<int, int> highest_sum(std::span<const double> series, double allowance) {
  std::pair<int, int> best{0, 0};
  double best_sum = 0;
  double sum = 0;
  int begin = 0;
  for (int i = 0; i < int(series.size()); ++i) {
    if (std::isnan(series[i]))
      continue;
    if (sum <= 0) {
      sum = 0;
      begin = i;
    }
    sum += series[i] - allowance;
    if (sum <= best_sum)
      continue;
    best_sum = sum;
    best = {begin, i + 1};
  }
  return best;
}

// Returns the mean of the values in a range. NaN is left out.
double mean_inside(std::span<const double> series, std::pair<int, int> range) {
  double sum = 0;
  int count = 0;
  for (int i = range.first; i < range.second; ++i) {
    if (std::isnan(series[i]))
      continue;
    sum += series[i];
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

double slow_noise(std::span<const double> series) {
  constexpr size_t kBlocks = 10;
  std::vector<double> known;
  for (const double v : series) {
    if (!std::isnan(v))
      known.push_back(v);
  }
  const double noise = noise_of(known);
  if (known.size() < 3 * kBlocks || noise <= 0)
    return NAN;
  std::vector<double> means;
  for (size_t b = 0; b < kBlocks; ++b) {
    const auto begin = known.begin() + static_cast<ptrdiff_t>(known.size() * b / kBlocks);
    const auto end = known.begin() + static_cast<ptrdiff_t>(known.size() * (b + 1) / kBlocks);
    means.push_back(evidence::mean(std::vector<double>(begin, end)));
  }
  const double expected = noise * noise / (double(known.size()) / kBlocks);
  // The median difference between the means of neighbouring tenths is robust: a fault that begins or ends
  // makes only one or two of the differences large.
  std::vector<double> jumps;
  for (size_t b = 1; b < means.size(); ++b)
    jumps.push_back(std::abs(means[b] - means[b - 1]));
  const double steady = std::sqrt(std::pow(evidence::median(jumps) / 0.954, 2) / expected);
  return std::max(
      steady,
      std::min(std::sqrt(evidence::variance(means) / expected), 1.5 * std::max(1.0, steady)));
}

double slow_noise(std::span<const std::vector<double>> series) {
  std::vector<double> all;
  for (const std::vector<double>& s : series) {
    const double one = slow_noise(std::span<const double>(s));
    if (!std::isnan(one))
      all.push_back(one);
  }
  if (all.empty())
    return 1;
  std::ranges::sort(all);
  return std::max(1.0, all[(all.size() - 1) / 2]);
}

Stretch best_stretch(std::span<const double> series, double allowance, double roughness) {
  std::pair<int, int> range = highest_sum(series, allowance);
  for (int round = 0; round < 2; ++round) {
    range = highest_sum(series, std::max(allowance, mean_inside(series, range) / 2));
  }
  Stretch best;
  best.begin = range.first;
  best.end = range.second;
  std::vector<double> inside;
  for (int i = best.begin; i < best.end; ++i) {
    if (!std::isnan(series[i]))
      inside.push_back(series[i]);
  }
  best.count = int(inside.size());
  if (inside.empty())
    return best;
  best.mean = evidence::mean(inside);
  best.median = evidence::median(inside);
  const double noise = noise_of(series);
  const double error = roughness * noise / std::sqrt(double(inside.size()));
  best.significance = error > 0 ? best.mean / error : (best.mean > 0 ? 1e6 : 0);
  return best;
}

}  // namespace lento::fleet::ranks

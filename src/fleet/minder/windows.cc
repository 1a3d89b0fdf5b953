// Normalises metrics of all machines, scores one window, and computes the moments of the Mahalanobis
// baseline.
#include "fleet/minder/windows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/minder/pca.h"

namespace lento::fleet {

Bounds bounds_of(const MetricSeries& s, size_t metric) {
  const float* v = s.values.data() + s.row_begin(metric, 0);
  float low = INFINITY;
  float high = -INFINITY;
  for (size_t i = 0; i < s.steps * s.machines.size(); ++i) {
    low = v[i] < low ? v[i] : low;
    high = v[i] > high ? v[i] : high;
  }
  return low < high ? Bounds{low, high} : Bounds{low <= high ? low : 0.0, (low <= high ? low : 0.0) + 1};
}

// Returns a metric of all machines, scaled so that its bounds become 0 and 1. A missing sample becomes the
// machine's last value, or 0.5 before its first.
Plane normalised_plane(const MetricSeries& s, size_t metric, const Bounds& bounds) {
  const size_t machines = s.machines.size();
  Plane p{padded(machines), {}};
  p.x.assign(s.steps * p.stride, 0.5f);
  const float scale = float(1 / std::max(bounds.high - bounds.low, 1e-12));
  const float low = float(bounds.low);
  for (size_t t = 0; t < s.steps; ++t) {
    const float* from = s.row(metric, t).data();
    float* to = p.x.data() + t * p.stride;
    const float* last = t ? to - p.stride : to;
    for (size_t m = 0; m < machines; ++m)
      to[m] = from[m] == from[m] ? (from[m] - low) * scale : last[m];
  }
  return p;
}

size_t metric_index(const MetricSeries& s, const std::string& name) {
  const auto at = std::ranges::find(s.metrics, name);
  if (at == s.metrics.end()) {
    throw base::Error(
        {},
        "the model's metric '" + name + "' is not in the data",
        base::suggestion(name, s.metrics));
  }
  return size_t(at - s.metrics.begin());
}

// Returns the machine with the largest sum of distances, and its z-score among all sums.
Candidate candidate_of(const float* sums, size_t machines) {
  double mean = 0;
  double square = 0;
  size_t best = 0;
  for (size_t m = 0; m < machines; ++m) {
    mean += sums[m];
    square += double(sums[m]) * sums[m];
    if (sums[m] > sums[best])
      best = m;
  }
  mean /= double(machines);
  const double n = double(machines);
  const double variance = (square - n * mean * mean) / (n - 1);  // so that z is at most (n - 1) / sqrt(n)
  return {uint32_t(best), float((sums[best] - mean) / (std::sqrt(std::max(variance, 0.0)) + 1e-12))};
}

std::vector<size_t> draw_pivots(size_t machines, size_t count) {
  std::vector<size_t> all(machines);
  std::iota(all.begin(), all.end(), size_t{0});
  base::Rng rng(1, "minder.pivots");
  for (size_t i = 0; i < std::min(count, machines); ++i)
    std::swap(all[i], all[i + rng.below(machines - i)]);
  all.resize(std::min(count, machines));
  return all;
}

size_t embed_moments(const std::vector<Plane>& planes, size_t t, size_t machines, std::vector<float>& e) {
  constexpr size_t W = vae::kWindow;
  const size_t stride = padded(machines);
  std::vector<double> features(machines * 4 * planes.size());
  for (size_t m = 0; m < machines; ++m) {
    for (size_t k = 0; k < planes.size(); ++k) {
      double sum = 0;
      double central[3] = {};
      for (size_t i = 0; i < W; ++i)
        sum += planes[k].x[(t + i) * stride + m];
      const double mean = sum / W;
      for (size_t i = 0; i < W; ++i) {
        const double d = planes[k].x[(t + i) * stride + m] - mean;
        central[0] += d * d / W;
        central[1] += d * d * d / W;
        central[2] += d * d * d * d / W;
      }
      const double variance = std::max(central[0], 1e-12);
      double* f = features.data() + (m * planes.size() + k) * 4;
      f[0] = mean, f[1] = central[0], f[2] = central[1] / (variance * std::sqrt(variance)),
      f[3] = central[2] / (variance * variance);
    }
  }
  return whiten({features, machines, 4 * planes.size()}, 0.95, e, stride);
}

}  // namespace lento::fleet

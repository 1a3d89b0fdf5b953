// The parts of the Minder paper's method that its ablations share: planes of normalised samples, pivots,
// standard scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fleet/minder/kernel.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// The result of one window: the machine with the largest standard score of its sum of distances.
struct Candidate {
  uint32_t machine = 0;
  float z = 0;
};

// Returns the number of machines rounded up to 16 lanes, so that every kernel may read whole vectors.
inline size_t padded(size_t machines) {
  return (machines + 15) / 16 * 16;
}

struct Bounds {
  double low = 0;
  double high = 1;
};

// Returns the smallest and largest value of the metric in the period, for the paper's min-max normalisation.
Bounds bounds_of(const MetricSeries& series, size_t metric);

// One metric on the time grid, normalised. A missing sample takes the machine's last value, else 0.5.
struct Plane {
  size_t stride = 0;
  std::vector<float> x;  // [step][stride]
};
Plane normalised_plane(const MetricSeries& series, size_t metric, const Bounds& bounds);

// Returns the column of the metric. Throws base::Error with a suggestion when the series has no metric of
// this name.
size_t metric_index(const MetricSeries& series, const std::string& name);

Candidate candidate_of(const float* sums, size_t machines);

// Returns `count` machines drawn at random (always the same ones), or all of them.
std::vector<size_t> draw_pivots(size_t machines, size_t count);

// Computes the embedding of the Mahalanobis baseline for window t: mean, variance, skewness and kurtosis of
// each plane, whitened by PCA to 95 % of the variance. Writes rows of `e` and returns their number.
size_t embed_moments(const std::vector<Plane>& planes, size_t t, size_t machines, std::vector<float>& e);

}  // namespace lento::fleet

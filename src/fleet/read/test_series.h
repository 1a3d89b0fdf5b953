// A recorded job for the tests of the fleet's detectors: every value is 100 with 3 % of normal noise, except
// for the faults that a test plants.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet::test {

inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// A fault of a recorded job.
struct Planted {
  size_t machine = 0;
  size_t metric = 0;
  size_t from = 0;
  double factor = 1;  // 0: no samples
};

inline MetricSeries job(
    size_t machines,
    size_t steps,
    const std::vector<std::string>& metrics,
    const std::vector<Planted>& planted = {},
    uint64_t seed = 8) {
  MetricSeries s;
  s.steps = steps;
  s.metrics = metrics;
  for (size_t m = 0; m < machines; ++m)
    s.machines.push_back("n" + std::to_string(m));
  s.labels.resize(machines);
  s.values.resize(metrics.size() * steps * machines);
  base::Rng rng(seed, "conclude");
  for (size_t k = 0; k < metrics.size(); ++k) {
    for (size_t t = 0; t < steps; ++t) {
      for (size_t m = 0; m < machines; ++m)
        s.row(k, t)[m] = float(100 * (1 + rng.normal(0, 0.03)));
    }
  }
  for (const Planted& p : planted) {
    for (size_t k = 0; k < metrics.size(); ++k) {
      for (size_t t = p.from; t < steps && (k == p.metric || p.factor == 0); ++t)
        s.row(k, t)[p.machine] *= p.factor == 0 ? kNone : float(p.factor);
    }
  }
  return s;
}

}  // namespace lento::fleet::test

// Jobs for the tests of this folder: 100 with 3 % of noise, and what a test adds; recorded, or a row at a
// time.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"
#include "fleet/detect/detect.h"

namespace lento::fleet::test {

inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// A job whose rows are made as they are pushed: 100 with 3 % of noise, and what a test adds.
class Job {
 public:
  Job(size_t machines,
      const DetectOptions& options,
      std::vector<std::string> metrics = {"power"},
      int64_t step_ms = 1000,
      uint64_t seed = 5)
      : detector(fleet(machines, std::move(metrics), step_ms), options),
        machines_(machines),
        rng_(seed, "job") {
  }

  template <class Value>
  void run(size_t rows, Value value) {
    const Fleet& f = detector.fleet();
    std::vector<float> row(f.metrics.size() * machines_);
    for (size_t i = 0; i < rows; ++i, now_ms += f.step_ms) {
      for (size_t k = 0; k < f.metrics.size(); ++k) {
        for (size_t m = 0; m < machines_; ++m)
          row[k * machines_ + m] = float(value(k, m) * (1 + rng_.normal(0, 0.03)));
      }
      detector.push(now_ms, row);
    }
  }
  void healthy(size_t rows) {
    run(rows, [](size_t, size_t) {
      return 100.0;
    });
  }
  void slow(size_t rows, size_t machine, double share) {
    run(rows, [&](size_t, size_t m) {
      return m == machine ? 100 * share : 100.0;
    });
  }
  std::vector<size_t> standing() const {
    std::vector<size_t> out;
    for (const Verdict& v : detector.verdicts()) {
      if (v.active)
        out.push_back(v.machine);
    }
    return out;
  }

  int64_t now_ms = 1'700'000'000'000;
  Detector detector;

 private:
  static Fleet fleet(size_t machines, std::vector<std::string> metrics, int64_t step_ms) {
    Fleet f;
    for (size_t m = 0; m < machines; ++m)
      f.machines.push_back("n" + std::to_string(m));
    f.labels.resize(machines);
    f.metrics = std::move(metrics);
    f.step_ms = step_ms;
    return f;
  }
  size_t machines_;
  base::Rng rng_;
};

// A fault of a recorded job.
struct Planted {
  size_t machine = 0;
  size_t metric = 0;
  size_t from = 0;
  double factor = 1;  // 0: no samples
};

inline trace::MetricSeries job(
    size_t machines,
    size_t steps,
    const std::vector<std::string>& metrics,
    const std::vector<Planted>& planted = {},
    uint64_t seed = 8) {
  trace::MetricSeries s;
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

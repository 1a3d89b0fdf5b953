// Jobs for the tests of this folder: 100 with 3 % of noise, and what a test adds; recorded, or a row at a
// time.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "fleet/detect/detect.h"
#include "fleet/read/test_series.h"

namespace lento::fleet::test {

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

}  // namespace lento::fleet::test

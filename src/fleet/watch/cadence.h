// Estimates the sampling period of a store's series, and the delay until a sample can be read, from the
// samples read so far.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

class Cadence {
 public:
  // Fixes the sampling period, or estimates it when `step_ms` is 0.
  explicit Cadence(int64_t step_ms)
      : fixed_(step_ms > 0),
        step_ms_(step_ms) {
  }

  int64_t step_ms() const {
    return step_ms_;
  }
  int64_t delay_ms() const {
    return delay_ms_;
  }
  void begin_with(int64_t step_ms) {
    step_ms_ = step_ms;
  }
  int64_t newest_ms(const std::string& machine) const;  // INT64_MIN: no sample yet

  // Changes the period when several responses in a row agree on another one. Returns whether it changed.
  bool learn_step(const MetricSeries& answer);
  void learn_delay(const MetricSeries& answer, int64_t now_ms);
  void forget(const std::string& machine) {
    newest_.erase(machine);
  }
  void forget_all() {
    newest_.clear();
  }

 private:
  bool fixed_;
  int64_t step_ms_;
  int64_t delay_ms_ = 0;
  std::map<std::string, int64_t> newest_;  // by machine
  std::deque<int64_t> delays_;             // delays of new samples, one value per read
  std::deque<int64_t> gaps_;               // distances of samples, one value per read with new samples
};

}  // namespace lento::fleet

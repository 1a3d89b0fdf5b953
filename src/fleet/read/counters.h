// Finds counters in recorded tables. A counter only rises, except that a restart of its program resets it.
// Its level depends on the age of the program, so only its rise per second is comparable between machines.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

// Replaces each metric that only rises by its rise per second, named "rate(NAME)". A value below the previous
// one, as after a restart, becomes NaN. The notes of the series name the counters.
void counters_to_rates(MetricSeries& series);

// Turns the samples of one counter into rates, in the order of their times.
class CounterRate {
 public:
  // Returns the rise per second since the previous sample, nullopt for the first sample and for a reset.
  std::optional<double> next(int64_t time_ms, double value) {
    const auto before = std::exchange(last_, std::pair{time_ms, value});
    if (!before || time_ms <= before->first || value < before->second)
      return std::nullopt;
    return (value - before->second) * 1000 / double(time_ms - before->first);
  }

 private:
  std::optional<std::pair<int64_t, double>> last_;
};

}  // namespace lento::fleet

// Thresholds from a false-alarm budget.
#pragma once

#include <cstddef>

namespace lento::fleet {

// z with P(|N(0,1)| > z) = p, for p in (0, 1).
double normal_threshold(double p);

// The threshold in standard deviations that `machines` x `metrics` series, judged at horizons of
// `horizons_s` for a day, exceed `budget` times a day under normal noise (windows overlap: two independent
// looks a horizon, two tests each).
struct Looks {
  size_t machines = 0;
  size_t metrics = 0;
  double looks_per_day = 0;  // summed over horizons
};
double budget_threshold(const Looks& looks, double budget);

}  // namespace lento::fleet

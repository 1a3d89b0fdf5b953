// Shares that were counted: their intervals, and the rates of a detector. Sources: Wilson 1927, Clopper and
// Pearson 1934.
#pragma once

#include <cstdint>

namespace lento::evidence {

struct Interval {
  double low = 0;
  double high = 0;
};

// Wilson score interval of `hits` in `trials` at 95 %, [0, 1] when trials is 0.
Interval wilson95(uint64_t hits, uint64_t trials);

// Clopper and Pearson's interval: covers the true share at least `level` of the time, whatever it is. [0, 1]
// when trials is 0. An audit uses it, because a promise must not be called broken by an approximation.
Interval exact_share_interval(uint64_t hits, uint64_t trials, double level);

// Counts of a detector and what follows from them. Rates are 0 when undefined.
struct Confusion {
  uint64_t true_positive = 0;
  uint64_t false_positive = 0;
  uint64_t false_negative = 0;
  uint64_t true_negative = 0;
  double precision() const;
  double recall() const;
  double f1() const;
  double false_alarm_rate() const;  // FP / (FP + TN)
  double accuracy() const;
};

}  // namespace lento::evidence

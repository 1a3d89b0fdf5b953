// Robust statistics and intervals used by every detector and evaluator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lento::base {

double mean(std::span<const double> values);      // 0 when empty
double variance(std::span<const double> values);  // unbiased; 0 under two values
double quantile(
    std::vector<double> values,
    double q);  // linear between order statistics (type 7); 0 when empty
double median(std::vector<double> values);
double mad(const std::vector<double>& values);  // median absolute deviation, unscaled

struct Interval {
  double low = 0;
  double high = 0;
};

// Wilson score interval of `hits` in `trials` at 95 %. It is [0, 1] when trials is 0.
Interval wilson95(uint64_t hits, uint64_t trials);

// Counts the outcomes of a detector and derives rates from them. Undefined rates are 0.
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

}  // namespace lento::base

// Finds the range of steps in which a series lies most significantly above zero.
#pragma once

#include <span>
#include <vector>

namespace lento::fleet::ranks {

struct Stretch {
  // The steps [begin, end).
  int begin = 0;
  int end = 0;
  double mean = 0;  // mean of the series in these steps
  double median = 0;
  double significance = 0;  // mean over its standard error; noise from successive differences
  int count = 0;            // steps with a value
};

// Returns the stretch that maximises the sum of (value - allowance). NaN: no value in this step. Where the
// level inside is far above the allowance, half of that level replaces it, so that the stretch begins and
// ends where the series crosses the middle between zero and the fault. `roughness` (slow_noise below) divides
// the significance.
Stretch best_stretch(std::span<const double> series, double allowance, double roughness = 1);

// Returns the ratio of two standard deviations: that of the means of tenths of the series, over the one
// expected if the values were independent with the same short-term noise. 1 is white noise; neighbouring
// steps that are alike give more. NaN under 30 values.
double slow_noise(std::span<const double> series);
// Returns the lower median of slow_noise() over several series whose noise is of one kind, so that a faulty
// minority does not count. It is at least 1.
double slow_noise(std::span<const std::vector<double>> series);

// Returns the standard deviation of a series around a level that may jump, from successive differences. 0
// under three values.
double noise_of(std::span<const double> series);

}  // namespace lento::fleet::ranks

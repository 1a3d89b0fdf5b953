// Computes means of a recorded series between two times, and the time at which a change began.
#pragma once

#include <span>
#include <vector>

#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

// Steps [begin, end).
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

size_t step_at(const fleet::MetricSeries& series, int64_t time_ms);  // nearest, within the record

// Returns the mean of the samples of these machines, NaN without samples.
double mean_of(const fleet::MetricSeries& s, size_t metric, std::span<const size_t> machines, Span span);

// Returns the index that splits the values into two parts with the least variance, 0 for fewer than two.
size_t best_split(std::span<const double> values);

// Returns the step at which a change of the machine relative to its peers most likely began (or ended): the
// split of the span with the largest likelihood ratio of two means against one.
size_t split_of(const fleet::MetricSeries& s, const Scan& scan, size_t metric, size_t machine, Span span);

// Identifies the samples of one metric of one machine in a span.
struct Place {
  size_t metric = 0;
  size_t machine = 0;
  Span span;
};

// Returns the place's differences from the median of `peers` on the metric's scale, one for each step, NaN
// where missing.
std::vector<double> residuals(
    const fleet::MetricSeries& s,
    const Scale& scale,
    const Place& place,
    std::span<const size_t> peers);

// Returns each peer's differences from the median of the peers in a whole record on the metric's scale,
// [peer][step].
std::vector<std::vector<float>> residuals_of_group(
    const fleet::MetricSeries& s,
    const Scale& scale,
    size_t metric,
    std::span<const size_t> peers);

// Returns the mean of the residuals that are not NaN, NaN without any.
double mean_there(std::span<const float> residuals);

}  // namespace lento::fleet

// Finds a job that is slow as a whole, without a deviating machine, by comparing its median with a
// prediction.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// Returns the index in `metrics` of the expectation's metric, or else of `metric`, the time of a step.
// Returns nullopt when both are absent or the expected value is not positive.
std::optional<size_t> expected_metric(
    const finding::Expectation& expectation,
    std::span<const std::string> metrics,
    const std::string& metric);

// Returns the finding for a job whose median `seen` exceeds `expectation`, or nullopt when it does not by
// more than the prediction's error allows.
std::optional<finding::Finding>
slow_fleet(const finding::Expectation& expectation, const std::string& metric, double seen);

// Compares the job with each expectation. An expectation of a metric that the series lacks is compared with
// `metric`, the time of a step. Adds a finding for each expectation exceeded by more than the prediction's
// own error, and a fact for each comparison.
void hold_against(
    const MetricSeries& series,
    std::span<const finding::Expectation> expectations,
    const std::string& metric,
    finding::Diagnosis& diagnosis);

}  // namespace lento::fleet

// Finds a job that is slow as a whole, without an odd machine, by comparing its median with a prediction.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// Returns the place in `metrics` of the expectation's own metric, else of `metric`, the time of a step.
// Nothing when both are absent.
std::optional<size_t> expected_metric(
    const finding::Expectation& expectation,
    std::span<const std::string> metrics,
    const std::string& metric);

// Returns the finding for a job whose median `seen` exceeds `expectation`. Nothing within the prediction's
// own error.
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

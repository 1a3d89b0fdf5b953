// A job that is slow everywhere has no odd machine: its median against what a prediction expects.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// The place in `metrics` of what an expectation speaks of: its own metric, or else `metric`, the time of a
// step. Nothing when neither is there.
std::optional<size_t> expected_metric(
    const finding::Expectation& expectation,
    std::span<const std::string> metrics,
    const std::string& metric);

// A job whose median is `seen` where `expectation` gives less; nothing within the prediction's own error.
std::optional<finding::Finding>
slow_fleet(const finding::Expectation& expectation, const std::string& metric, double seen);

// An expectation of a metric that the series lacks speaks of `metric`, the time of a step. Adds a finding for
// each that the job exceeds by more than the prediction's own error, and a fact for each that was compared.
void hold_against(
    const MetricSeries& series,
    std::span<const finding::Expectation> expectations,
    const std::string& metric,
    finding::Diagnosis& diagnosis);

}  // namespace lento::fleet

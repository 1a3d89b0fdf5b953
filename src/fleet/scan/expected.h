// A job that is slow everywhere has no odd machine: its median against what a prediction expects.
#pragma once

#include <span>
#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// An expectation of a metric that the series lacks speaks of `metric`, the time of a step. Adds a finding for
// each that the job exceeds by more than the prediction's own error, and a fact for each that was compared.
void hold_against(
    const MetricSeries& series,
    std::span<const finding::Expectation> expectations,
    const std::string& metric,
    finding::Diagnosis& diagnosis);

}  // namespace lento::fleet

// A synthetic job's metrics with known truth: as a table, or as pages of an exporter.
#pragma once

#include <string>

#include "base/json.h"
#include "fleet/simulate/simulate.h"

namespace lento::fleet {

// lento.fleet-truth/1: whether, which, what, when.
base::Json truth_json(const FleetTruth& truth, const MetricSeries& series);

// The page of an exporter at one step: of one machine, or of all where `machine` is empty. What was not
// sampled is not on it.
std::string exposition(const MetricSeries& series, size_t step, const std::string& machine);

// A long table: machine, its stage where it has one, time, one column a metric, as `lento fleet diagnose
// --csv` reads it; `path` ending in .gz, .xz or .zst compresses.
void write_metrics_csv(const MetricSeries& series, const std::string& path);

// The table, and the truth in `path`.truth.json.
void write_fleet(const SimulatedFleet& fleet, const std::string& path);

}  // namespace lento::fleet

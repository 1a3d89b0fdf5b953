// Writes the metrics of a simulated job, as a table or as pages of an exporter, and its true fault.
#pragma once

#include <string>

#include "base/json.h"
#include "fleet/simulate/simulate.h"

namespace lento::fleet {

// Returns the truth (lento.fleet-truth/1): whether there is a fault, in which machine, of which kind, when.
base::Json truth_json(const FleetTruth& truth, const MetricSeries& series);

// Returns the exporter's page at one step: of one machine, or of all when `machine` is empty. Missing
// samples are not on the page.
std::string exposition(const MetricSeries& series, size_t step, const std::string& machine);

// Writes a long table for `lento fleet diagnose --csv`: machine, its stage when it has one, time, one column
// for each metric. A `path` ending in .gz, .xz or .zst is compressed.
void write_metrics_csv(const MetricSeries& series, const std::string& path);

// Writes the table, and the truth in `path`.truth.json.
void write_fleet(const SimulatedFleet& fleet, const std::string& path);

}  // namespace lento::fleet

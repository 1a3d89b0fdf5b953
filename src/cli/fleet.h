// The subcommands of 'lento fleet', one file each.
#pragma once

#include <string>

#include "cli/context.h"
#include "trace/metric_series.h"

namespace lento::cli {

void add_fleet_diagnose(CLI::App& fleet, Context& context);
void add_fleet_evaluate(CLI::App& fleet, Context& context);
void add_fleet_simulate(CLI::App& fleet, Context& context);
void add_fleet_train(CLI::App& fleet, Context& context);
void add_fleet_watch(CLI::App& fleet, Context& context);

// As `lento fleet diagnose --csv` reads them; `path` ending in .gz, .xz or .zst compresses.
void write_metrics_csv(const trace::MetricSeries& series, const std::string& path);

}  // namespace lento::cli

// The subcommands of 'lento fleet', one file each.
#pragma once

#include <string>

#include "front/context.h"
#include "trace/metric_series.h"

namespace lento::cli {

void add_fleet_diagnose(Command& fleet, Context& context);
void add_fleet_ranks(Command& fleet, Context& context);
void add_fleet_simulate_ranks(Command& fleet, Context& context);
void add_fleet_simulate(Command& fleet, Context& context);
void add_fleet_train(Command& fleet, Context& context);
void add_fleet_watch(Command& fleet, Context& context);
void add_fleet_doctor(Command& fleet, Context& context);

// As `lento fleet diagnose --csv` reads them; `path` ending in .gz, .xz or .zst compresses.
void write_metrics_csv(const trace::MetricSeries& series, const std::string& path);

}  // namespace lento::cli

// The subcommands of 'lento fleet', one file each.
#pragma once

#include "cli/context.h"

namespace lento::cli {

void add_fleet_diagnose(CLI::App& fleet, Context& context);
void add_fleet_evaluate(CLI::App& fleet, Context& context);
void add_fleet_simulate(CLI::App& fleet, Context& context);
void add_fleet_train(CLI::App& fleet, Context& context);
void add_fleet_watch(CLI::App& fleet, Context& context);

}  // namespace lento::cli

// The subcommands of 'lento fleet', one file each.
#pragma once

#include "cli/context.h"

namespace lento::cli {

void add_fleet_diagnose(Command& fleet, Context& context);
void add_fleet_ranks(Command& fleet, Context& context);
void add_fleet_simulate_ranks(Command& fleet, Context& context);
void add_fleet_simulate(Command& fleet, Context& context);
void add_fleet_train(Command& fleet, Context& context);
void add_fleet_watch(Command& fleet, Context& context);
void add_fleet_replay(Command& fleet, Context& context);
void add_fleet_explain(Command& fleet, Context& context);
void add_fleet_doctor(Command& fleet, Context& context);

}  // namespace lento::cli

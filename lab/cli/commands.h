// The commands of `lento-lab`, one file each. They measure Lento and reproduce the papers.
#pragma once

#include "cli/context.h"
#include "cli/run.h"

namespace lento::lab {

using cli::Command;
using cli::Context;
using cli::example;
using cli::one_of;
using cli::range;

cli::Program program();
cli::Program mpi_program();  // lento-mpi: what can use several processes

void add_audit(Command& app, Context& context);
void add_chip_campaign(Command& chip, Context& context);
void add_chip_evaluate(Command& chip, Context& context);
void add_chip_world(Command& chip, Context& context);
void add_fabric_plants(Command& group, Context& context);
void add_fabric_times(Command& group, Context& context);
void add_field(Command& app, Context& context);
void add_fleet_evaluate(Command& fleet, Context& context);
void add_fleet_kills(Command& fleet, Context& context);
void add_fleet_ranks(Command& fleet, Context& context);
void add_fleet_soak(Command& fleet, Context& context);
void add_memory_campaign(Command& memory, Context& context);
void add_tile_case(Command& tile, Context& context);
void add_validate(Command& app, Context& context);

}  // namespace lento::lab

// Lists the commands of lento-lab and those that can use several processes.
#include "lab/cli/commands.h"

#include "cli/commands/commands.h"
#include "lab/chip/methods.h"

namespace lento::lab {
namespace {

void add_chip(Command& app, Context& context) {
  Command* command = app.add_subcommand("chip", "Many faults on a simulated chip, counted honestly");
  command->require_subcommand(1);
  add_chip_campaign(*command, context);
  cli::add_chip_diagnose_by(*command, context, chip::all_methods());
  add_chip_evaluate(*command, context);
  add_chip_world(*command, context);
}

void add_fabric(Command& app, Context& context) {
  Command* fabric =
      app.add_subcommand("fabric", "Recorded programs of real chips: measured, played, planted");
  fabric->require_subcommand(1);
  add_fabric_times(*fabric, context);
  add_fabric_plants(*fabric, context);
}

void add_fleet(Command& app, Context& context) {
  Command* fleet = app.add_subcommand("fleet", "The detectors on data with known truth");
  fleet->require_subcommand(1);
  add_fleet_evaluate(*fleet, context);
  add_fleet_ranks(*fleet, context);
  add_fleet_kills(*fleet, context);
  add_fleet_soak(*fleet, context);
}

void add_memory(Command& app, Context& context) {
  Command* memory = app.add_subcommand("memory", "The contention detector on planted causes");
  memory->require_subcommand(1);
  add_memory_campaign(*memory, context);
}

void add_tile(Command& app, Context& context) {
  Command* tile = app.add_subcommand("tile", "The case studies of on-chip analytics");
  tile->require_subcommand(1);
  add_tile_case(*tile, context);
}

void add_spread_chip(Command& app, Context& context) {
  Command* chip = app.add_subcommand("chip", "Many faults on a simulated chip, counted honestly");
  chip->require_subcommand(1);
  add_chip_campaign(*chip, context);
}

}  // namespace

cli::Program mpi_program() {
  return {
      "lento-mpi",
      "The commands of Lento that do many independent runs, on all ranks that mpirun starts.",
      {add_spread_chip, add_fleet, cli::add_search},
      {}};
}

cli::Program program() {
  return {
      "lento-lab",
      "The laboratory of Lento: what measures it and what reproduces the papers.",
      {add_audit,
       add_chip,
       cli::add_docs,
       add_fabric,
       add_field,
       add_fleet,
       add_memory,
       add_tile,
       add_validate},
      {}};
}

}  // namespace lento::lab

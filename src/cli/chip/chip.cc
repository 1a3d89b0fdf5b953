// lento chip: the commands for many-core accelerators.
#include "cli/commands/commands.h"

namespace lento::cli {

void add_chip(Command& app, Context& context) {
  Command* chip = app.add_subcommand("chip", "A many-core accelerator: which core or link is slow?");
  chip->require_subcommand(1);
  add_chip_check(*chip, context);
  add_chip_map(*chip, context);
  add_chip_simulate(*chip, context);
  add_chip_sweep(*chip, context);
  add_chip_learn(*chip, context);
  add_chip_diagnose(*chip, context);
  add_chip_calibrate(*chip, context);
  add_chip_import(*chip, context);
  add_chip_examine(*chip, context);
  add_chip_compare(*chip, context);
}

}  // namespace lento::cli

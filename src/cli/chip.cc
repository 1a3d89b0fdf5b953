// lento chip: the commands for many-core accelerators.
#include "cli/context.h"

namespace lento::cli {

void add_chip(CLI::App& app, Context& context) {
  CLI::App* chip = app.add_subcommand("chip", "A many-core accelerator: which core or link is slow?");
  chip->require_subcommand(1);
  add_chip_check(*chip, context);
  add_chip_campaign(*chip, context);
  add_chip_evaluate(*chip, context);
  add_chip_map(*chip, context);
  add_chip_simulate(*chip, context);
  add_chip_sweep(*chip, context);
  add_chip_diagnose(*chip, context);
}

}  // namespace lento::cli

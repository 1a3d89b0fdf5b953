// lento chip sweep: simulates the slow-down of each component, and lists what each would cost the whole run.
#include "chip/sweep.h"
#include "cli/commands/commands.h"

namespace lento::cli {

void add_chip_sweep(Command& chip, Context& context) {
  Command* command = chip.add_subcommand("sweep", "What each component would cost if it were slow");
  auto args = std::make_shared<chip::ChipSweepOptions>();
  command->add_option("--chip", args->chip, "Chip (YAML, or the released architecture JSON)")
      ->required()
      ->type_name("FILE");
  command->add_option("--mapping", args->mapping, "Mapping (compact map format)")
      ->required()
      ->type_name("FILE");
  command->add_option("--factor", args->factor, "Times slower")
      ->check(range(1.0, 1e6))
      ->capture_default_str();
  command->add_option("--inferences", args->inferences, "Inferences of each run")
      ->check(range(1, 10000))
      ->capture_default_str();
  context.add_seed(*command);
  context.add_jobs(*command);
  context.add_output_options(*command);
  example(
      *command,
      "lento chip sweep --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json --factor 10");
  command->callback([&context, args] {
    args->seed = context.seed;
    args->threads = context.jobs;
    if (auto diagnosis = chip::chip_sweep(*args, context.progress()))
      context.show(std::move(*diagnosis));
  });
}

}  // namespace lento::cli

// lento-lab chip world: verdicts when the chip or its recorder differs from the file.
#include "cli/tables.h"
#include "lab/chip/world.h"
#include "lab/cli/commands.h"

namespace lento::lab {

void add_chip_world(Command& chip, Context& context) {
  Command* app = chip.add_subcommand(
      "world",
      "Healthy and faulty runs of chips and recorders unlike their file: who is accused");
  auto options = std::make_shared<chip::WorldOptions>();
  auto plain = std::make_shared<bool>(false);
  app->add_option("--chip", options->chip, "Chip (YAML)")->required()->type_name("FILE");
  app->add_option("--mapping", options->mapping, "Mapping (compact map format)")
      ->required()
      ->type_name("FILE");
  app->add_option("--rows", options->rows, "Rows whose name this regular expression finds")
      ->type_name("REGEX");
  app->add_option("--healthy", options->healthy, "Healthy runs a row")
      ->check(range(0, 10'000))
      ->capture_default_str();
  app->add_option("--faults", options->faulty, "Runs with a slow part a row")
      ->check(range(0, 10'000))
      ->capture_default_str();
  app->add_option("--inferences", options->inferences, "Inferences of a run")
      ->check(range(1, 1000))
      ->capture_default_str();
  app->add_flag("--no-model", *plain, "Diagnose without the chip's model");
  context.add_output_options(*app);
  context.add_seed(*app);
  example(*app, "lento-lab chip world --chip 4x4.yaml --mapping darknet19.map.json --healthy 4 --faults 4");
  app->callback([options, plain, &context] {
    options->seed = context.seed;
    options->model = !*plain;
    finding::Diagnosis d = chip::world_table(chip::run_world(*options, context.progress()), *options);
    const std::string tables = cli::tables_as_text(d);
    context.show(std::move(d));
    if (!context.json)
      context.streams.out << tables;
  });
}

}  // namespace lento::lab

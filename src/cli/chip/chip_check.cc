// lento chip check: lists the components that a mapping does not use, and those that no record can separate.
#include "chip/check.h"
#include "cli/commands/commands.h"

namespace lento::cli {

void add_chip_check(Command& chip_app, Context& context) {
  Command* app = chip_app.add_subcommand(
      "check",
      "Which components a mapping exercises, and which it cannot tell apart");
  auto options = std::make_shared<chip::ChipCheckOptions>();
  app->add_option("--chip", options->chip, "Chip description")->required();
  app->add_option("--mapping", options->mapping, "Mapping, ours or Gemini's")->required();
  app->add_flag("--classes", options->classes, "List the components that the same transfers pass");
  app->add_option("--faults", options->faults, "List them for the time of each of these faults instead")
      ->type_name("FILE");
  app->add_option("--inferences", options->inferences, "Inferences of the run that is simulated for --faults")
      ->check(range(1, 10000))
      ->capture_default_str();
  context.add_seed(*app);
  context.add_output_options(*app);
  example(*app, "lento chip check --chip examples/chip/4x4.yaml --mapping resnet50.4x4.map.json");
  app->callback([options, &context] {
    options->seed = context.seed;
    context.show(chip::chip_check(*options));
  });
}

}  // namespace lento::cli

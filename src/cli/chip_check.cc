#include "jobs/chip_check.h"

#include "cli/commands.h"

namespace lento::cli {

void add_chip_check(Command& chip_app, Context& context) {
  Command* app = chip_app.add_subcommand(
      "check",
      "Which components a mapping exercises, and which it cannot tell apart");
  auto chip = std::make_shared<std::string>();
  auto mapping = std::make_shared<std::string>();
  app->add_option("--chip", *chip, "Chip description")->required();
  app->add_option("--mapping", *mapping, "Mapping, ours or Gemini's")->required();
  context.add_output_options(*app);
  example(*app, "lento chip check --chip examples/chip/4x4.yaml --mapping resnet50.4x4.map.json");
  app->callback([chip, mapping, &context] {
    context.show(jobs::chip_check(*chip, *mapping));
  });
}

}  // namespace lento::cli

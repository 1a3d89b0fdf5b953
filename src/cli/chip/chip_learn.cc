// lento chip learn: simulates what a diagnosis must know of a chip and a mapping, and keeps it.
#include <cstdlib>
#include <filesystem>

#include "chip/kept_model.h"
#include "cli/chip/record_options.h"
#include "cli/commands/commands.h"

namespace lento::cli {
namespace {

// Returns the folder of learnt models in the user's cache, by the XDG base directory specification, or
// "none" when neither variable holds an absolute path.
std::string usual_models() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "lento"}, {"HOME", ".cache/lento"}})
    if (const char* folder = std::getenv(variable);
        folder != nullptr && std::filesystem::path(folder).is_absolute())
      return (std::filesystem::path(folder) / below).string();
  return "none";
}

}  // namespace

void add_models(Command& command, std::string& models) {
  models = "usual";
  command
      .add_option(
          "--models",
          models,
          "Folder that keeps what was learnt of chips and mappings: 'usual' is the user's cache, 'none' "
          "keeps "
          "nothing")
      ->type_name("FOLDER")
      ->capture_default_str();
}

std::string models_folder(const std::string& models) {
  const std::string folder = models == "usual" ? usual_models() : models;
  return folder == "none" ? "" : folder;
}

void add_chip_learn(Command& chip_app, Context& context) {
  Command* app = chip_app.add_subcommand(
      "learn",
      "Simulates what a diagnosis must know of a chip and a mapping, and keeps it for the next ones");
  auto options = std::make_shared<chip::ChipLearnOptions>();
  app->add_option("--chip", options->chip, "The chip")->required()->type_name("FILE");
  app->add_option("--mapping", options->mapping, "The mapping that will run")->required()->type_name("FILE");
  app->add_option("--inferences", options->inferences, "Inferences of the runs that will be judged")
      ->check(range(1, 1000))
      ->capture_default_str();
  app->add_option("--false-alarms", options->false_alarms, "Reports on a healthy run that may be, each run")
      ->capture_default_str()
      ->check(range(1e-6, 1.0));
  add_models(*app, options->models);
  context.add_output_options(*app);
  example(*app, "lento chip learn --chip examples/chip/4x4.yaml --mapping resnet50.4x4.map.json");
  app->callback([options, &context] {
    options->models = models_folder(options->models);
    context.show(chip::chip_learn(*options, context.progress()));
  });
}

}  // namespace lento::cli

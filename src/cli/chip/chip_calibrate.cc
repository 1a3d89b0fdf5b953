// lento chip calibrate: fits a chip's numbers to healthy runs of it.
#include <memory>

#include "chip/calibrate.h"
#include "cli/chip/record_options.h"
#include "cli/commands/commands.h"

namespace lento::cli {

void add_chip_calibrate(Command& chip, Context& context) {
  Command* app =
      chip.add_subcommand("calibrate", "How a real chip differs from its file, from healthy runs of it");
  auto job = std::make_shared<chip::ChipCalibrationOptions>();
  app->add_option("records", job->records, "Healthy runs: probe records, one file each")
      ->required()
      ->type_name("FILE");
  app->add_option("--chip", job->chip, "The chip the records are from")->required();
  app->add_option("--mapping", job->mapping, "The mapping that ran")->required();
  app->add_option("-o,--output", job->output, "The chip file with the fitted numbers")->type_name("FILE");
  add_models(*app, job->models);
  context.add_output_options(*app);
  context.add_seed(*app);
  example(
      *app,
      "lento chip calibrate run.probe --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json "
      "-o measured.yaml");
  app->callback([job, &context] {
    job->strict = context.strict;
    job->seed = context.seed;
    job->models = models_folder(job->models);
    finding::Diagnosis d = chip::calibrate_chip(*job, context.progress());
    if (job->output != "-")
      context.show(std::move(d));
  });
}

}  // namespace lento::cli

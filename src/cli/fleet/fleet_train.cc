// lento fleet train: trains one LSTM-VAE for each metric on a period with few faults, and sets its threshold
// for a deviation.
#include "base/file.h"
#include "cli/fleet/fleet.h"
#include "cli/fleet/fleet_sources.h"
#include "fleet/training.h"

namespace lento::cli {
namespace {

struct FleetTrainArguments {
  fleet::FleetTrainingOptions job;
  std::string out;
};

void run(Context& context, FleetTrainArguments& o) {
  o.job.strict = context.strict;
  o.job.threads = context.jobs;
  o.job.train.seed = context.seed;
  const fleet::FleetTraining training = fleet::train_fleet(o.job, context.progress());
  base::write_file(o.out, base::write_json(fleet::to_json(training.model)) + "\n");
  context.show(fleet::describe(training, o.out, context.seed));
}

}  // namespace

void add_fleet_train(Command& fleet, Context& context) {
  Command* app =
      fleet.add_subcommand("train", "Learn the models of the faithful mode from a period without faults");
  auto o = std::make_shared<FleetTrainArguments>();
  add_source_options(*app, o->job.source);
  app->add_option("-o,--output", o->out, "Model file to write")->required()->type_name("FILE");
  app->add_option("--windows", o->job.train.windows, "Windows drawn a metric")
      ->check(range(1000, 10000000))
      ->capture_default_str();
  app->add_option("--epochs", o->job.train.epochs, "Passes over the windows")
      ->check(range(1, 10000))
      ->capture_default_str();
  app->add_option(
         "--candidate-rate",
         o->job.candidate_rate,
         "Share of fault-free windows that may have a candidate")
      ->check(range(0.0, 1.0))
      ->capture_default_str();
  context.add_output_options(*app);
  context.add_seed(*app);
  context.add_jobs(*app);
  example(
      *app,
      "lento fleet train --csv healthy.csv.gz --machine-column node --metric power_w -o model.json");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli

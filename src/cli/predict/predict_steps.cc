// lento predict steps: compares measured step times of a job with the prediction.
#include "cli/predict/predict_steps.h"

#include <cmath>

#include "cli/fleet/fleet_sources.h"
#include "predict/measured.h"

namespace lento::cli {
namespace {

struct PredictStepsArguments {
  std::string workload;
  std::string system;
  std::string unit = "s";
  fleet::FleetSource source;
};

// Returns the step times of all machines in seconds, from the only metric of `series` in `unit`.
std::vector<double> step_times(const fleet::MetricSeries& series, const std::string& unit) {
  if (series.metrics.size() != 1)
    throw base::Error(
        {"--metric"},
        std::to_string(series.metrics.size()) + " metrics were read",
        "name the one that holds the step time, e.g. --metric step_seconds");
  const double scale = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1;
  std::vector<double> out;
  for (const float value : series.values) {
    if (std::isfinite(value) && value > 0)
      out.push_back(value * scale);
  }
  return out;
}

void compare_steps(Context& context, const PredictStepsArguments& o) {
  base::ReadReport report;
  report.strict = context.strict;
  std::vector<finding::Input> inputs;
  const std::vector<double> steps = step_times(fleet::read_source(o.source, report, inputs), o.unit);
  finding::Diagnosis d = predict::compare_steps({o.workload, o.system, steps});
  finding::add_read_report(d, report);
  d.inputs.insert(d.inputs.begin(), inputs.begin(), inputs.end());
  context.show(std::move(d));
}

}  // namespace

void add_predict_steps(Command& predict, Context& context) {
  Command* command =
      predict.add_subcommand("steps", "Compare a job's measured step times with the prediction");
  auto o = std::make_shared<PredictStepsArguments>();
  command->add_option("WORKLOAD", o->workload, "What one step does, as a workload file")->required();
  command->add_option("--system", o->system, "The machine it runs on")->required();
  add_source_options(*command, o->source);
  command->add_option("--unit", o->unit, "Unit of the step times")
      ->check(one_of({"s", "ms", "us"}))
      ->capture_default_str();
  context.add_output_options(*command);
  example(
      *command,
      "lento predict steps examples/predict/gpt3_175b.yaml --system a100 --csv steps.csv --metric step_s");
  command->callback([&context, o] {
    compare_steps(context, *o);
  });
}

}  // namespace lento::cli

// lento predict steps: measured step times of a job against the prediction.
#include <cmath>

#include "base/file.h"
#include "cli/fleet_sources.h"
#include "cli/predict_design.h"
#include "predict/time/compare_run.h"
#include "predict/time/workload.h"

namespace lento::cli {
namespace {

struct Options {
  std::string workload, system, unit = "s";
  jobs::FleetSource source;
};

// Every sample of the one metric, of all machines.
std::vector<double> step_times(const trace::MetricSeries& series, const std::string& unit) {
  if (series.metrics.size() != 1)
    throw base::Error({"--metric"}, std::to_string(series.metrics.size()) + " metrics were read",
                      "name the one that holds the step time, e.g. --metric step_seconds");
  const double scale = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1;
  std::vector<double> out;
  for (const float value : series.values) {
    if (std::isfinite(value) && value > 0) out.push_back(value * scale);
  }
  return out;
}

void compare_steps(Context& context, const Options& o) {
  base::ReadReport report;
  report.strict = context.strict;
  std::vector<finding::Input> inputs;
  const std::string bytes = base::read_file(o.workload, predict::kMostWorkloadBytes);
  const predict::Question step = predict::parse_workload(bytes, o.workload, {});
  predict::MeasuredRun run;
  run.steps_s = step_times(jobs::read_source(o.source, report, inputs), o.unit);
  finding::Diagnosis d = predict::compare_run(system_of(o.system), run, step);
  finding::add_read_report(d, report);
  d.inputs = std::move(inputs);
  d.inputs.push_back(Context::input("workload", o.workload, bytes));
  context.show(std::move(d));
}

}  // namespace

void add_predict_steps(Command& predict, Context& context) {
  Command* command =
      predict.add_subcommand("steps", "Compare a job's measured step times with the prediction");
  auto o = std::make_shared<Options>();
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
  command->callback([&context, o] { compare_steps(context, *o); });
}

}  // namespace lento::cli

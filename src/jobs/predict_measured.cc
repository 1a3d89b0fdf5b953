#include "jobs/predict_measured.h"

#include "jobs/predict.h"
#include "jobs/predict_system.h"
#include "predict/time/compare_run.h"

namespace lento::jobs {

using finding::Diagnosis;

Diagnosis compare_measured(const MeasuredOptions& options) {
  base::ReadReport report;
  report.strict = options.strict;
  const predict::MeasuredRun run = predict::read_run(options.run, report);
  std::optional<ReadWorkload> step;
  if (!options.workload.empty())
    step = jobs::read_workload(options.workload, options.run_options);
  const bool named = options.system.empty() && predict::find_shipped(run.device_name);
  Diagnosis d = predict::compare_run(
      named ? *predict::find_shipped(run.device_name) : system_of(options.system),
      run,
      step ? std::optional(step->question) : std::optional<predict::Question>());
  if (!step && !run.steps_s.empty())
    d.notes.push_back("The trace holds steps; name the workload to compare them too.");
  finding::add_read_report(d, report);
  if (step)
    d.inputs.push_back(step->input);
  return d;
}

Diagnosis compare_steps(const StepsOptions& options) {
  const ReadWorkload step = jobs::read_workload(options.workload, {});
  predict::MeasuredRun run;
  run.steps_s = options.steps_s;
  Diagnosis d = predict::compare_run(system_of(options.system), run, step.question);
  d.inputs.push_back(step.input);
  return d;
}

}  // namespace lento::jobs

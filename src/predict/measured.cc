// Reads a measured run (a table, a PyTorch profiler trace or a rocprof table), and compares its kernels and
// steps with their predictions.
#include "predict/measured.h"

#include "predict/answer.h"
#include "predict/system.h"
#include "predict/time/trace/compare_run.h"

namespace lento::predict {

using finding::Diagnosis;

// Compares the kernels and steps of a recorded run with their predicted times.
Diagnosis compare_measured(const MeasuredOptions& options) {
  base::ReadReport report;
  report.strict = options.strict;
  const MeasuredRun run = read_run(options.run, report);
  std::optional<WorkloadFile> step;
  if (!options.workload.empty())
    step = read_workload_file(options.workload, options.run_options);
  const bool named = options.system.empty() && find_shipped(run.device_name);
  Diagnosis d = compare_run(
      named ? *find_shipped(run.device_name) : system_of(options.system),
      run,
      step ? std::optional(step->question) : std::optional<Question>());
  if (!step && !run.steps_s.empty())
    d.notes.push_back("The trace holds steps; name the workload to compare them too.");
  finding::add_read_report(d, report);
  if (step)
    d.inputs.push_back(step->input);
  return d;
}

std::string device_of_run(const std::string& run) {
  base::ReadReport report;
  const System* device = find_shipped(read_run(run, report).device_name);
  return device ? device->name : "";
}

// Compares step times given on the command line, in seconds, with the predicted step.
Diagnosis compare_steps(const StepsOptions& options) {
  const WorkloadFile step = read_workload_file(options.workload, {});
  MeasuredRun run;
  run.steps_s = options.steps_s;
  Diagnosis d = compare_run(system_of(options.system), run, step.question);
  d.inputs.push_back(step.input);
  return d;
}

}  // namespace lento::predict

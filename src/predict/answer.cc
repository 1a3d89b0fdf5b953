#include "predict/answer.h"

#include "base/file.h"
#include "predict/system.h"
#include "predict/time/explain.h"

namespace lento::predict {

WorkloadFile read_workload_file(const std::string& path, const RunOptions& run) {
  const std::string bytes = base::read_file(path, most_workload_bytes(path));
  return {parse_workload(bytes, path, run), {"workload", path, base::digest(bytes)}};
}

namespace {

// A stack that the sheet does not list would silently be another one.
void check_framework(const System& system, const std::string& framework) {
  if (framework.empty() || stack_for(system, framework).framework == framework)
    return;
  std::vector<std::string> names;
  for (const Stack& stack : system.frameworks)
    names.push_back(stack.framework);
  throw base::Error(
      {},
      "the sheet '" + system.name + "' has no stack for the framework '" + framework + "'",
      names.empty() ? "it lists none: leave the framework out for the sheet's own stack"
                    : base::suggestion(framework, names));
}

}  // namespace

finding::Diagnosis predict(const PredictOptions& options) {
  if (options.workload.empty()) {
    if (!options.system.empty() && is_design(options.system))
      return explain_design(options.system);
    throw base::Error(
        {},
        "nothing was asked",
        "name a workload file or give --table FILE; see 'lento predict --help'");
  }
  System system = system_of(options.system);
  if (options.usd_per_hour > 0)
    system.usd_per_hour = options.usd_per_hour;
  const WorkloadFile workload = read_workload_file(options.workload, options.run);
  check_framework(system, workload.question.framework);
  finding::Diagnosis d = explain(system, workload.question);
  d.inputs.push_back(workload.input);
  return d;
}

}  // namespace lento::predict

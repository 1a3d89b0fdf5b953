// Compares a measured run with its prediction: `lento predict --measured RUN` and `lento predict steps`.
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "predict/time/workload.h"

namespace lento::predict {

struct MeasuredOptions {
  std::string run;       // a table of questions with their times, or a PyTorch profiler trace
  std::string system;    // a shipped sheet, a file, or a design point; required
  std::string workload;  // the workload of each step; empty: only kernels are compared
  RunOptions run_options;
  bool strict = false;
};
finding::Diagnosis compare_measured(const MeasuredOptions& options);

// Returns the shipped system that a measured run names as its device; empty: it names none.
std::string device_of_run(const std::string& run);

struct StepsOptions {
  std::string workload;
  std::string system;
  std::vector<double> steps_s;
};
finding::Diagnosis compare_steps(const StepsOptions& options);

}  // namespace lento::predict

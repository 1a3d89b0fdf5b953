// Simulates a synchronous training job from given compute times of its machines, for example of a simulated
// accelerator. In every step each machine computes, then all wait for the slowest and exchange gradients.
//
// The gauges are those of an exporter in the training loop, read once a second, of the last finished step:
//   compute_time_s  the machine's compute time
//   wait_ratio      share of the step that the machine waited for others
//   step_time_s     length of the step, the same on all machines
// Before the first step is finished there are no samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct StepMachine {
  std::string name;
  std::vector<double> compute_s;        // observed compute times of a step; each step draws one of them
  std::vector<double> compute_after_s;  // such times from the onset on; empty: nothing changes
};

struct StepJob {
  std::vector<StepMachine> machines;
  double exchange_s = 0;  // time for gradients in every step, after the slowest machine has computed
  double seconds = 1800;  // length of the recording
  double onset_s = 900;
  uint64_t seed = 1;
};

// Simulates the gauges. Throws base::Error when a machine has no times or one of them is not positive.
MetricSeries simulate_steps(const StepJob& job);

}  // namespace lento::fleet

// A synchronous training job made of machines whose own work is given, for example from a simulated
// accelerator: in every step each machine computes, then all wait for the slowest and exchange gradients.
//
// The gauges are those of an exporter in the training loop, read once a second, of the last finished step:
//   compute_time_s  the machine's own computing
//   wait_ratio      share of the step that it spent waiting for the others
//   step_time_s     the step, the same on all machines
// Before the first step is finished there are no samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct StepMachine {
  std::string name;
  std::vector<double> compute_s;        // observed times of its work in one step; each step draws one
  std::vector<double> compute_after_s;  // the same from the onset on; empty: nothing changes
};

struct StepJob {
  std::vector<StepMachine> machines;
  double exchange_s = 0;  // of every step, after the slowest machine is done
  double seconds = 1800;  // length of the recording
  double onset_s = 900;
  uint64_t seed = 1;
};

// Throws base::Error when a machine has no times or one of them is not positive.
MetricSeries simulate_steps(const StepJob& job);

}  // namespace lento::fleet

// The training job behind `lento demo`: 64 machines, one of them with a slow link inside its accelerator.
#pragma once

#include <string>

#include "base/progress.h"
#include "chip/map/mapping.h"
#include "fleet/simulate/steps.h"
#include "spec/chip.h"

namespace lento::desk {

struct DemoJob {
  static constexpr int kMachines = 64;
  // Passes over the network in a training step, each simulated as one inference: forward, gradients of
  // activations, gradients of weights.
  static constexpr int kPassesPerStep = 3;
  std::string machine;   // name of the faulty machine
  std::string link;      // name of the slow link inside its accelerator
  double factor = 4;     // by which the link is slower
  double slowdown = 1;   // of the faulty machine's steps
  fleet::StepJob steps;  // steps of all machines, without exchange times, which the caller adds
};

// Simulates the demo's training job. A step of a machine takes as long as kPassesPerStep consecutive
// inferences in a simulated run of its accelerator. The seed selects the faulty machine and its slow link:
// one that slows such a run by 3 to 25 % or, when there is none, the link with the largest effect.
// Stops early and names no machine when `progress` requests it.
DemoJob simulate_demo_job(
    const spec::Chip& chip,
    const chip::Mapping& mapping,
    uint64_t seed,
    unsigned threads,
    const base::Progress& progress);

}  // namespace lento::desk

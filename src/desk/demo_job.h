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
  static constexpr int kPassesPerStep = 3;  // forward; gradients of activations; gradients of weights
  std::string machine;                      // the faulty one
  std::string link;                         // inside its accelerator
  double factor = 4;
  double slowdown = 1;   // of its passes
  fleet::StepJob steps;  // its exchange time is left to the caller
};

// Every machine's passes come from its own run of the accelerator's simulator. The faulty machine is drawn
// from the seed, as is the link: among those that cost the pass 3 to 25 %, or the costliest when there is
// none. Stops early, with no machine named, when `progress` says so.
DemoJob simulate_demo_job(
    const spec::Chip& chip,
    const chip::Mapping& mapping,
    uint64_t seed,
    unsigned threads,
    const base::Progress& progress);

}  // namespace lento::desk

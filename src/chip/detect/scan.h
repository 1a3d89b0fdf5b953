// The scan over hypotheses: for every link, router, memory unit and DRAM port the stretch of time and the
// factor that explain the transfers best.
#pragma once

#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

struct ScanInput {
  const Cells& cells;
  const std::vector<Path>& paths;
  const std::vector<Baseline>& baselines;
};

// Returns all components of the chip except its cores, in order.
std::vector<Component> all_components(const Grid& grid);

// Returns the components that at least one row crosses, in order.
std::vector<Component> candidates(const std::vector<Path>& paths, const Grid& grid);

// Returns the suspect with the best interval for its factor, with begin and end finer than a bin.
Suspect refitted(const ScanInput& input, Suspect suspect);

// Returns the best interval and factor of each component by log-likelihood ratio, strongest first, positive
// ones only.
std::vector<Suspect> scan(const ScanInput& input, const std::vector<Component>& components);

}  // namespace lento::chip

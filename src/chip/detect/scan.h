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

// Returns all components of the chip except its cores: links, routers, memory units, DRAM ports, each by
// index.
std::vector<Component> all_components(const Grid& grid);

// Returns the components that at least one path crosses, without cores, in the order of all_components().
std::vector<Component> candidates(const std::vector<Path>& paths, const Grid& grid);

// Returns the suspect with the interval of highest likelihood for its factor. Begin and end of the interval
// are estimated more finely than one time bin (scan.cc).
Suspect refitted(const ScanInput& input, Suspect suspect);

// Returns for each component the interval and factor with the highest log-likelihood ratio against a healthy
// chip (Suspect::strength), highest ratio first. Components whose ratio is not above 0 are left out.
std::vector<Suspect> scan(const ScanInput& input, const std::vector<Component>& components);

}  // namespace lento::chip

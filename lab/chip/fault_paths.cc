// Routes each flow once and remembers which faulty components its path crosses.
#include "lab/chip/fault_paths.h"

namespace lento::chip {

const std::vector<bool>& FaultPaths::passed_by(const Flow& flow) {
  const auto known = passes_.find(flow);
  if (known != passes_.end())
    return known->second;
  std::vector<bool> passes;
  if (flow.kind == chip::ProbeKind::Compute) {
    for (const Fault& f : faults_)
      passes.push_back(component_of(f) == Component{Part::Core, flow.core});
  } else {
    const Path path(chip_, grid_, Pattern{flow.kind, 0, uint16_t(flow.peer)}, flow.core);
    for (const Fault& f : faults_)
      passes.push_back(path.crosses(component_of(f)));
  }
  return passes_.emplace(flow, std::move(passes)).first->second;
}

}  // namespace lento::chip

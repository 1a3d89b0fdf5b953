// Which of several faults each flow passes.
#pragma once

#include <map>
#include <vector>

#include "chip/detect/alike.h"
#include "chip/map/faults.h"

namespace lento::chip {

// Precondition: what it is given outlives it.
class FaultPaths {
 public:
  FaultPaths(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid)
      : faults_(faults),
        chip_(chip),
        grid_(grid) {
  }

  // By fault: whether its component is on the path of the flow. An operation passes its core.
  const std::vector<bool>& passed_by(const Flow& flow);

 private:
  const std::vector<Fault>& faults_;
  const spec::Chip& chip_;
  const Grid& grid_;
  std::map<Flow, std::vector<bool>> passes_;
};

}  // namespace lento::chip

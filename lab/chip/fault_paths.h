// Computes for each flow (a kind of record between two places) which of several faults lie on its path.
#pragma once

#include <map>
#include <vector>

#include "chip/detect/alike.h"
#include "chip/map/faults.h"

namespace lento::chip {

// The arguments of the constructor must outlive it.
class FaultPaths {
 public:
  FaultPaths(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid)
      : faults_(faults),
        chip_(chip),
        grid_(grid) {
  }

  // Returns for each fault whether its component is on the path of the flow. The path of an operation is its
  // core.
  const std::vector<bool>& passed_by(const Flow& flow);

 private:
  const std::vector<Fault>& faults_;
  const spec::Chip& chip_;
  const Grid& grid_;
  std::map<Flow, std::vector<bool>> passes_;
};

}  // namespace lento::chip

// Cuts a layer graph into segments and gives every layer a number of cores. Internal to the mapper.
#pragma once

#include <vector>

#include "base/progress.h"
#include "chip/map/plan/mapper.h"
#include "chip/map/plan/partition.h"

namespace lento::chip {

struct PlannedLayer {
  Cut cut;
  int segment = 0;      // from 0
  int64_t samples = 1;  // of one pass
  int sharers = 1;      // cores that read a part's weights together and pass them on to each other
  int runs = 1;         // runs that a part's channels are computed in, one after the other
  std::vector<uint32_t> positions;  // of a sequence: position of each part in the order of cores
};

struct Plan {
  std::vector<PlannedLayer> layers;
  int segments = 0;
  double cycles = 0;        // cost of one inference in the model
  bool sequential = false;  // layers of a segment run one after the other on the same cores
  bool blocks = false;      // of a sequence: cores in the order of BlockOrder
};

Plan plan_segments(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const std::string& file,
    const base::Progress& progress);

}  // namespace lento::chip

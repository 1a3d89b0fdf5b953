// Cuts a layer graph into segments and gives every layer its cores. Internal to the mapper.
#pragma once

#include <vector>

#include "base/progress.h"
#include "chip/map/plan/mapper.h"
#include "chip/map/plan/partition.h"

namespace lento::chip {

struct PlannedLayer {
  Cut cut;
  int segment = 0;               // from 0
  int64_t samples = 1;           // of one pass
  int sharers = 1;               // cores that read a part's weights once between them and hand them on
  int runs = 1;                  // of a part's channels, one computed after the other
  std::vector<uint32_t> stands;  // of a sequence: each part's core, in the order in which cores are taken
};

struct Plan {
  std::vector<PlannedLayer> layers;
  int segments = 0;
  double cycles = 0;        // what the cost model expects of one inference
  bool sequential = false;  // layers of a segment take the same cores, one after the other
  bool blocks = false;      // of a sequence: cores in the order of BlockOrder
};

Plan plan_segments(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const std::string& file,
    const base::Progress& progress);

}  // namespace lento::chip

// The kernels for Baseline (4 lanes); src/CMakeLists.txt sets the instruction set of this file alone.
#define LENTO_LANES 4
#include "fleet/minder/kernel_lanes.h"

namespace lento::fleet {

const Kernel
    kBaselineKernel{"baseline", kLanes, embed_lanes, train_lanes, distance_lanes, sum_rows_lanes, sort_lanes};

}  // namespace lento::fleet

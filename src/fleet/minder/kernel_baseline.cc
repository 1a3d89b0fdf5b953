// The kernels for the baseline instruction set (4 lanes), which src/CMakeLists.txt sets for this file alone.
#define LENTO_LANES 4
#include "fleet/minder/kernel_lanes.h"

namespace lento::fleet {

const Kernel
    kBaselineKernel{"baseline", kLanes, embed_lanes, train_lanes, distance_lanes, sum_rows_lanes, sort_lanes};

}  // namespace lento::fleet

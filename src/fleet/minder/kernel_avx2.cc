// The kernels for AVX2 (8 lanes). src/CMakeLists.txt sets the instruction set of this file alone.
#define LENTO_LANES 8
#include "fleet/minder/kernel_lanes.h"

#if defined(__x86_64__)
namespace lento::fleet {

const Kernel
    kAvx2Kernel{"avx2", kLanes, embed_lanes, train_lanes, distance_lanes, sum_rows_lanes, sort_lanes};

}  // namespace lento::fleet
#endif

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(220);
YPU_OUTPUT(4, 220);

static const uint32_t limits[16] = {1, 2, 4, 8, 16, 32, 64, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600};
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  uint32_t lo = 0, hi = 16;
  while (lo < hi) {
    const uint32_t mid = (lo + hi) >> 1;
    if (limits[mid] <= v)
      lo = mid + 1;
    else
      hi = mid;
  }
  ypu_put32(lo);
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(8, 40);

static uint32_t last, fast;
YPU_MAIN {
  const uint32_t now = ypu_arrival, gap = now - last;
  last = now;
  fast = gap < 100 ? fast + 1 : 0;
  if (fast > 10) ypu_put32(now);
}

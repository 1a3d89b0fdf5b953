#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(256, 16384);
YPU_DROPS_EXPECTED;
static uint32_t sums[64], count;
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  sums[v & 63] += 1;
  if (++count == 256) {
    count = 0;
    for (uint32_t i = 0; i < 64; ++i) ypu_put32(sums[i]);
  }
}

/* The most frequent of eight ports in every 256 requests. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(256);
YPU_OUTPUT(4, 65536);
static uint32_t count[8];
static uint32_t total;
YPU_MAIN {
  count[ypu_io(0) % 8]++;
  if (++total == 256) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < 8; i++) if (count[i] > count[best]) best = i;
    ypu_put16(best); ypu_put16(count[best]);
    for (int i = 0; i < 8; i++) count[i] = 0;
    total = 0;
  }
}

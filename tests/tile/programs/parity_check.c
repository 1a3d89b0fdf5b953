#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(100);
YPU_OUTPUT(1, 100);

static uint32_t bad;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  v ^= v >> 16;
  v ^= v >> 8;
  v ^= v >> 4;
  v ^= v >> 2;
  v ^= v >> 1;
  bad += v & 1;
  ypu_put8(bad);
}
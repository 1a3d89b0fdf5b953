#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(200);
YPU_OUTPUT(64, 8192);
YPU_DROPS_EXPECTED;

static uint32_t gaps[16], last, count;
YPU_MAIN {
  uint32_t gap = ypu_arrival - last;
  last = ypu_arrival;
  int bucket = 0;
  while (gap > 1 && bucket < 15) {
    gap >>= 1;
    ++bucket;
  }
  ++gaps[bucket];
  if (++count == 128) {
    count = 0;
    for (int i = 0; i < 16; ++i) {
      ypu_put32(gaps[i]);
      gaps[i] = 0;
    }
  }
}

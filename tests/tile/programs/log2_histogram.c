#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(256); YPU_OUTPUT(132, 65536); YPU_DROPS_EXPECTED;
static uint32_t bucket[33]; static uint32_t n;
YPU_MAIN {
  uint32_t v = ypu_io(0), b = 0;
  while (v) { v >>= 1; b++; }
  bucket[b]++;
  if (++n == 512) { n = 0; for (b = 0; b < 33; b++) { ypu_put32(bucket[b]); bucket[b] = 0; } }
}

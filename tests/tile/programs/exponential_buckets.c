#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(256); YPU_OUTPUT(32, 32768);
static uint32_t since; static uint32_t bucket[8]; static uint32_t n;
YPU_MAIN {
  uint32_t gap = (ypu_arrival - since) >> 4;
  since = ypu_arrival;
  int b = 0;
  while (gap && b < 7) { gap >>= 1; b++; }
  bucket[b]++;
  if (++n >= 128) { n = 0; for (b = 0; b < 8; b++) { ypu_put32(bucket[b]); bucket[b] = 0; } }
}

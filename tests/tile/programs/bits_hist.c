/* Histogram of leading bit positions, sent every 128 samples. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(512);
YPU_OUTPUT(64, 65536);
static uint16_t bins[32];
static uint32_t samples;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  uint32_t b = 0;
  while (v > 1) { v >>= 1; b++; }
  bins[b]++;
  if (++samples == 128) {
    for (int i = 0; i < 32; i++) { ypu_put16(bins[i]); bins[i] = 0; }
    samples = 0;
  }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(400); YPU_OUTPUT(64, 819200);
/* lengths of gaps in 16 bins, sent every 2048 inputs */
static uint32_t last, bins[16]; static uint16_t n;
YPU_MAIN {
  uint32_t gap = (ypu_arrival - last) >> 6;
  last = ypu_arrival;
  bins[gap > 15 ? 15 : gap]++;
  if (++n >= 2048) { n = 0; for (int i = 0; i < 16; i++) { ypu_put32(bins[i]); bins[i] = 0; } }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(400); YPU_OUTPUT(32, 409600);
/* counts by the highest set bit, all 8 sent every 1024 */
static uint32_t bins[8]; static uint32_t n;
YPU_MAIN {
  uint32_t v = ypu_io(0) >> 24; int k = 0;
  while (v > 1 && k < 7) { v >>= 1; k++; }
  bins[k]++;
  if (++n == 1024) { n = 0; for (int i = 0; i < 8; i++) { ypu_put32(bins[i]); bins[i] = 0; } }
}

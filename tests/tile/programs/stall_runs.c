#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(300); YPU_OUTPUT(16, 76800);
/* runs of stalls by length, 8 bins of two bytes, every 256 runs of main */
static uint16_t bins[8]; static uint8_t run, n;
YPU_MAIN {
  if (ypu_io(0) & 1) { if (run < 7) run++; }
  else { bins[run]++; run = 0; }
  if (++n == 0) for (int i = 0; i < 8; i++) { ypu_put16(bins[i]); bins[i] = 0; }
}

/* The largest value of every 1000, by a counter of two bytes. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(32);
YPU_OUTPUT(4, 32000);
static uint16_t n;
static uint32_t most;
YPU_MAIN {
  if (ypu_io(0) > most) most = ypu_io(0);
  if (++n >= 1000) { ypu_put32(most); most = 0; n = 0; }
}

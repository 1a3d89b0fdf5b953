#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(200); YPU_OUTPUT(16, 40000);
/* four counters, by turns of at least 40000 cycles */
static uint32_t count[4], last;
YPU_MAIN {
  count[ypu_io(0) & 3]++;
  uint32_t now = ypu_arrival;
  if (now - last < 40000) return;
  last = now;
  for (int i = 0; i < 4; i++) { ypu_put32(count[i]); count[i] = 0; }
}

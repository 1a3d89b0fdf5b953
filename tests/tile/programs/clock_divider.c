#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 448);
/* one value of every seven */
static uint32_t phase;
YPU_MAIN {
  if (phase == 6) { ypu_put32(ypu_io(0)); phase = 0; }
  else phase++;
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 5000);
/* a count every 5000 cycles by a deadline that moves on from now */
static uint32_t next, n;
YPU_MAIN {
  n++;
  if ((int32_t)(ypu_arrival - next) >= 0) { next = ypu_arrival + 5000; ypu_put32(n); n = 0; }
}

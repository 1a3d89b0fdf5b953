#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(200); YPU_OUTPUT(12, 4000);
/* a short word every 1000 cycles and a long one every 100000 */
static uint32_t shortly, rarely, n;
YPU_MAIN {
  uint32_t now = ypu_arrival;
  n++;
  if (now - shortly >= 1000) { shortly = now; ypu_put16(n); }
  if (now - rarely >= 100000) { rarely = now; ypu_put32(n); n = 0; }
}

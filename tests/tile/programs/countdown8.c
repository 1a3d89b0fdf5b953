/* Every hundredth value, by a counter of one byte. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(32);
YPU_OUTPUT(4, 3200);
static uint8_t n;
YPU_MAIN {
  if (++n == 100) { n = 0; ypu_put32(ypu_io(0)); }
}

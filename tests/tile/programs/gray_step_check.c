#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(1, 96);
/* a Gray counter must change one bit */
static uint32_t last;
YPU_MAIN {
  uint32_t v = ypu_io(0) & 0xff, x = v ^ last;
  last = v;
  if (x & (x - 1)) ypu_put8(x);
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(160); YPU_OUTPUT(1, 160);
/* which levels of a walk changed since the last one */
static uint32_t last;
YPU_MAIN {
  uint32_t v = ypu_io(0), x = v ^ last; int levels = 0;
  last = v;
  for (int shift = 12; shift < 32; shift += 10) if (x >> shift) levels++;
  ypu_put8(levels);
}

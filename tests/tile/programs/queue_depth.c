#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t depth, most;
YPU_MAIN {
  if (ypu_io(0) & 1) ++depth;
  if ((ypu_io(1) & 1) && depth > 0) --depth;
  if (depth > most) most = depth;
  ypu_put32(most);
}
#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(96);
YPU_OUTPUT(4, 96);

static uint32_t conflicts;
YPU_MAIN {
  if (((ypu_io(0) >> 6) & 7) == ((ypu_io(1) >> 6) & 7)) ++conflicts;
  ypu_put32(conflicts);
}
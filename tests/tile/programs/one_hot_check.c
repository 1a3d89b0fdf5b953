#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(32); YPU_OUTPUT(4, 32);
YPU_MAIN {
  uint32_t g = ypu_io(0) & 0xff;
  if (g & (g - 1)) ypu_put32(g << 24 | (ypu_arrival & 0xffffff));
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(300); YPU_OUTPUT(1, 300);
YPU_MAIN {
  uint32_t v = ypu_io(0) & 0xffff;
  for (int i = 15; i >= 0; i--) if (v >> i & 1) { ypu_put8(i); return; }
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(300);
YPU_OUTPUT(1, 300);

YPU_MAIN {
  uint32_t v = ypu_io(0), n = 0;
  for (uint32_t i = 0; i < 32 && v != 0; ++i, ++n) v &= v - 1;
  ypu_put8(n);
}

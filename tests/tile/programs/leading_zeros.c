#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(200);
YPU_OUTPUT(1, 200);

YPU_MAIN {
  uint32_t v = ypu_io(0), n = 0;
  while (v != 0) {
    v >>= 1;
    ++n;
  }
  ypu_put8(32 - n);
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(300);
YPU_OUTPUT(4, 300);

YPU_MAIN {
  uint32_t v = ypu_io(0), r = 0;
  for (int i = 0; i < 32; ++i) {
    r = r << 1 | (v & 1);
    v >>= 1;
  }
  ypu_put32(r);
}

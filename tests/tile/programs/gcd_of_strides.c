#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(4000);
YPU_OUTPUT(4, 4000);

static uint32_t last;
YPU_MAIN {
  uint32_t a = ypu_io(0) & 1023, b = last;
  last = a;
  for (int i = 0; i < 40 && b != 0; ++i) {
    const uint32_t c = a > b ? a - b : b - a;
    a = a < b ? a : b;
    b = c;
  }
  ypu_put32(a);
}
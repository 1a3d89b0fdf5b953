#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t a, b;
YPU_MAIN {
  const uint32_t c = ypu_io(0) & 0xffffff;
  if (b > a && b > c) {
    ypu_put32(b);
    ypu_put32(ypu_arrival);
  }
  a = b;
  b = c;
}

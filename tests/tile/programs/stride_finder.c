#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(120);
YPU_OUTPUT(8, 120);

static uint32_t last, stride, sure;
YPU_MAIN {
  const uint32_t a = ypu_io(0), d = a - last;
  last = a;
  if (d == stride) {
    if (sure < 3) ++sure;
  } else if (sure > 0) {
    --sure;
  } else {
    stride = d;
  }
  if (sure == 3) { ypu_put32(stride); ypu_put32(a); }
}
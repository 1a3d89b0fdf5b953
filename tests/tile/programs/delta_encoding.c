#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(5, 40);

static uint32_t last;
YPU_MAIN {
  const int32_t d = (int32_t)(ypu_io(0) - last);
  last = ypu_io(0);
  if (d >= -128 && d < 128) {
    ypu_put8(d);
  } else {
    ypu_put8(0x80);
    ypu_put32(last);
  }
}

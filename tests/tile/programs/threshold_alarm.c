#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(8, 40);

static uint32_t above;
YPU_MAIN {
  if (ypu_io(0) > 1000) {
    if (above < 0xffff) ++above;
  } else {
    above = 0;
  }
  if (above == 3) {
    ypu_put32(ypu_arrival);
    ypu_put32(ypu_io(0));
  }
}

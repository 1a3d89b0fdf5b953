#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(8, 80);

static uint32_t held, have;
YPU_MAIN {
  if (have) {
    ypu_put32(held);
    ypu_put32(ypu_io(0));
  }
  held = ypu_io(0);
  have = !have;
}

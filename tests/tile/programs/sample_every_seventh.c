#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 280);

static uint32_t phase;
YPU_MAIN {
  if (phase == 6) {
    phase = 0;
    ypu_put32(ypu_io(0));
  } else {
    ++phase;
  }
}

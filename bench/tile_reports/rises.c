// github.com/newaetech/chipwhisperer-husky-fpga/issues/24: pulses of one cycle of a fast clock.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t before, rises;

YPU_MAIN {
  const uint32_t now = ypu_io(0) & 1;
  rises += now & ~before;
  before = now;
  ypu_put32(rises);
}

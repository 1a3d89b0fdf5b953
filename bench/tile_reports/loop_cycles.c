// github.com/openhwgroup/cv32e40p/issues/47: cycles of an iteration, of which the counter misses one.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t begun, last;

YPU_MAIN {
  if (ypu_io(0) != 0x1c008ba4) return;
  if (begun) ypu_put32((ypu_arrival - last) >> 6);
  begun = 1;
  last = ypu_arrival;
}

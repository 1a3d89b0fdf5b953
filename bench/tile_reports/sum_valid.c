// Counts the valid samples of a signal and adds them up: for recordings as tools write them.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t count, sum;

YPU_MAIN {
  count++;
  sum += ypu_io(0);
  ypu_put32(count);
  ypu_put32(sum);
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static int32_t sum;
YPU_MAIN {
  sum += (int32_t)(ypu_io(0) & 0x3ff) - 500;
  if (sum < 0) sum = 0;
  if (sum > 20000) {
    ypu_put32(ypu_arrival);
    sum = 0;
  }
}

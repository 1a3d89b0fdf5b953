#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(30);
YPU_OUTPUT(4, 3000);

static uint32_t left;
YPU_MAIN {
  if (left == 0) {
    left = 100;
    ypu_put32(ypu_cycle);
  }
  --left;
}

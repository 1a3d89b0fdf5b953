#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 400);

static uint32_t length, ended;
YPU_MAIN {
  if (ypu_io(0) & 1) {
    ++length;
    return;
  }
  if (++ended < 10) return;
  ended = 0;
  ypu_put32(length);
  length = 0;
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 19200);
static uint16_t left = 300; static uint32_t sum;
YPU_MAIN {
  sum += ypu_io(0) & 255;
  if (--left == 0) { ypu_put32(sum); sum = 0; left = 300; }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(2, 64);
static int32_t y;
YPU_MAIN {
  int32_t x = (int32_t)(int16_t)ypu_io(0) << 8;
  y += (x - y) >> 4;
  ypu_put16(y >> 8);
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(400);
YPU_OUTPUT(4, 400);

YPU_MAIN {
  uint32_t digits[8];
  for (uint32_t i = 0; i < 8; ++i) digits[i] = ypu_io(0) >> (4 * i) & 15;
  ypu_put32(digits[ypu_io(0) & 7]);
}

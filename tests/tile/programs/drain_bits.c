#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(1024); YPU_OUTPUT(64, 1024);
static uint16_t hits[32];
YPU_MAIN {
  uint32_t m = ypu_io(0);
  for (int i = 0; m; i++, m >>= 1) if (m & 1) ypu_put16(++hits[i & 31]);
}

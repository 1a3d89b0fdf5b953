#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

YPU_MAIN {
  uint32_t g = ypu_io(0);
  g ^= g >> 16;
  g ^= g >> 8;
  g ^= g >> 4;
  ypu_put32(g ^ g >> 1);
}

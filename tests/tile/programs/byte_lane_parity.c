#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(256); YPU_OUTPUT(1, 256);
YPU_MAIN {
  uint32_t v = ypu_io(0), bad = 0;
  for (int lane = 0; lane < 4; lane++) {
    uint32_t b = (v >> (8 * lane)) & 255;
    b ^= b >> 4; b ^= b >> 2; b ^= b >> 1;
    bad |= (b & 1) << lane;
  }
  ypu_put8(bad);
}

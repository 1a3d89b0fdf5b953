#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(1, 128);
static uint8_t last;
YPU_MAIN {
  uint32_t req = ypu_io(0) & 15;
  for (int k = 1; k <= 4; k++) {
    uint8_t i = (last + k) & 3;
    if (req >> i & 1) { last = i; ypu_put8(i); return; }
  }
}

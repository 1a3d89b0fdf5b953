#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(8, 64);
static uint8_t credits[4] = {16, 16, 16, 16};
YPU_MAIN {
  uint32_t vc = ypu_io(0) & 3;
  if (ypu_valid & 1) { if (credits[vc] == 0) { ypu_put32(0xdead0000 | vc); ypu_put32(ypu_arrival); } else credits[vc]--; }
  if (ypu_valid & 2) { uint32_t r = ypu_io(1) & 3; if (credits[r] < 16) credits[r]++; }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(32); YPU_OUTPUT(4, 32);
static uint32_t lfsr = 0xACE1u;
YPU_MAIN {
  lfsr = (lfsr >> 1) ^ (-(lfsr & 1u) & 0xB400u);
  if ((lfsr & 15) == 0) ypu_put32(ypu_io(0));
}

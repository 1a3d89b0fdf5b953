#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
static uint32_t ring[16], at;
YPU_MAIN {
  uint32_t old = ring[at & 15];
  ring[at++ & 15] = ypu_io(0);
  ypu_put32(old);
}

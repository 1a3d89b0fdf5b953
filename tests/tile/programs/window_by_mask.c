#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 4096);
static uint32_t begin, count;
YPU_MAIN {
  uint32_t now = ypu_arrival & ~4095u;
  if (now != begin) { ypu_put32(count); count = 0; begin = now; }
  count++;
}

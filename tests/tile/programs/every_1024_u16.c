#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 8192);
static uint16_t n;
static uint32_t worst;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  if (v > worst) worst = v;
  n++;
  if ((n & 1023) == 0) { ypu_put32(worst); worst = 0; }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(256, 8192); YPU_DROPS_EXPECTED;
static uint32_t bin[64], n;
YPU_MAIN {
  bin[(ypu_io(0) >> 6) & 63]++;
  if ((++n & 0x3ff) == 0)
    for (unsigned i = 0; i < 64; i++) { ypu_put32(bin[i]); bin[i] = 0; }
}

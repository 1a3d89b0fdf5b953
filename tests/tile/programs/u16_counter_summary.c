#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(32, 16384); YPU_DROPS_EXPECTED;
static uint16_t bin[16], seen;
YPU_MAIN {
  bin[ypu_io(0) >> 28]++;
  if (++seen == 500) {
    for (int i = 0; i < 16; i++) { ypu_put16(bin[i]); bin[i] = 0; }
    seen = 0;
  }
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(1024, 65536);
YPU_DROPS_EXPECTED;
static uint32_t pages[256];
static uint32_t seen;
YPU_MAIN {
  pages[(ypu_io(0) >> 12) & 255]++;
  if (++seen == 1024) {
    seen = 0;
    for (int i = 0; i < 256; ++i) {
      ypu_put32(pages[i]);
      pages[i] = 0;
    }
  }
}
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(1400);
YPU_OUTPUT(4, 1400);

static uint32_t held[8];
YPU_MAIN {
  held[7] = ypu_io(0);
  for (uint32_t i = 1; i < 8; ++i) {
    const uint32_t v = held[i];
    uint32_t j = i;
    for (; j > 0 && held[(j - 1) & 7] > v; --j) held[j & 7] = held[(j - 1) & 7];
    held[j & 7] = v;
  }
  ypu_put32(held[0]);
}

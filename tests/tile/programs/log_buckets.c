#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(200);
YPU_OUTPUT(32, 16384);
YPU_DROPS_EXPECTED;
static uint16_t buckets[16];
static uint32_t seen;
YPU_MAIN {
  uint32_t v = ypu_io(0) & 0xffff, b = 0;
  while (v > 1) {
    v >>= 1;
    ++b;
  }
  ++buckets[b];
  if (++seen == 100) {
    seen = 0;
    for (int i = 0; i < 16; ++i) ypu_put16(buckets[i]);
  }
}
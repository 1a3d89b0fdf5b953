#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(1000);
YPU_OUTPUT(4, 1000);
YPU_DROPS_EXPECTED;

static uint32_t now[4], before[4], seen;
static uint32_t ones(uint32_t v) {
  uint32_t n = 0;
  while (v != 0) {
    v &= v - 1;
    ++n;
  }
  return n;
}
YPU_MAIN {
  const uint32_t line = ypu_io(0) >> 6;
  now[line >> 5 & 3] |= 1u << (line & 31);
  if (++seen < 200) return;
  seen = 0;
  uint32_t distance = 0;
  for (int i = 0; i < 4; ++i) {
    distance += ones(now[i] ^ before[i]);
    before[i] = now[i];
    now[i] = 0;
  }
  if (distance > 32) ypu_put32(ypu_arrival);
}

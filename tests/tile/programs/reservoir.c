#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(80);
YPU_OUTPUT(4, 80);
YPU_DROPS_EXPECTED;

static uint32_t sample[8], seen, noise = 1;
static uint32_t draw(void) {
  noise ^= noise << 13;
  noise ^= noise >> 17;
  noise ^= noise << 5;
  return noise;
}
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  if (seen < 8) {
    sample[seen++] = v;
    return;
  }
  const uint32_t r = draw() & 127;
  if (r < 8) sample[r] = v;
}
YPU_FINISH {
  for (int i = 0; i < 8; ++i) ypu_put32(sample[i]);
}

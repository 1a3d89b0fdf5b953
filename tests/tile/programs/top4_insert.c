#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(160); YPU_OUTPUT(16, 16384); YPU_DROPS_EXPECTED;
static uint32_t top[4]; static uint8_t n;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  for (int i = 0; i < 4; i++) if (v > top[i]) { uint32_t t = top[i]; top[i] = v; v = t; }
  if (++n == 200) { n = 0; for (int i = 0; i < 4; i++) { ypu_put32(top[i]); top[i] = 0; } }
}

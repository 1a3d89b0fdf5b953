#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(32, 4096); YPU_DROPS_EXPECTED;
static uint8_t bin[32];
static uint16_t n;
YPU_MAIN {
  uint8_t *b = &bin[ypu_io(0) & 31];
  if (*b != 255) ++*b;
  if (++n >= 400) { n = 0; for (int i = 0; i < 32; ++i) { ypu_put8(bin[i]); bin[i] = 0; } }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(256); YPU_OUTPUT(64, 16384);
static uint32_t count[16];
static uint8_t n;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  for (int i = 0; i < 8; i++, v >>= 4) count[v & 15]++;
  n = (n + 1) & 63;
  if (n != 0) return;
  for (int i = 0; i < 16; i++) { ypu_put32(count[i]); count[i] = 0; }
}

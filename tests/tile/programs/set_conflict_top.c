#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(3, 64);
static uint16_t per_set[64]; static uint16_t most;
YPU_MAIN {
  uint32_t set = ypu_io(0) >> 6 & 63;
  uint16_t n = ++per_set[set];
  if (n > most) { most = n; ypu_put8(set); ypu_put16(n); }
}

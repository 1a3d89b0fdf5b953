#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint16_t row_a[64], row_b[64];
YPU_MAIN {
  const uint32_t key = ypu_io(0) >> 6;
  const uint32_t a = (key ^ key >> 5) & 63, b = (key >> 2 ^ key >> 9) & 63;
  const uint32_t ca = ++row_a[a], cb = ++row_b[b];
  const uint32_t least = ca < cb ? ca : cb;
  if (least >= 1000) ypu_put32(key);
}

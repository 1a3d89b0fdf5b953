#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(900);
YPU_OUTPUT(4, 900);

static uint32_t divide(uint32_t n, uint32_t d) {
  uint32_t q = 0, r = 0;
  for (int32_t i = 31; i >= 0; --i) {
    r = r << 1 | (n >> i & 1);
    if (r >= d) {
      r -= d;
      q |= 1u << i;
    }
  }
  return q;
}
YPU_MAIN { ypu_put32(divide(ypu_io(0), 10)); }

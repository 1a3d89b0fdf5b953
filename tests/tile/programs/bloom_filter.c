#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(100);
YPU_OUTPUT(1, 100);

static uint32_t bits[32];
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  const uint32_t a = (v ^ v >> 7) & 1023, b = (v >> 3 ^ v >> 11) & 1023;
  const uint32_t both = (bits[a >> 5] >> (a & 31)) & (bits[b >> 5] >> (b & 31)) & 1;
  bits[a >> 5] |= 1u << (a & 31);
  bits[b >> 5] |= 1u << (b & 31);
  ypu_put8(both);
}
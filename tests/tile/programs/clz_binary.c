#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(1, 64);
static uint8_t clz(uint32_t x) {
  uint8_t n = 0;
  if (!x) return 32;
  if (x <= 0xffff) { n += 16; x <<= 16; }
  if (x <= 0xffffff) { n += 8; x <<= 8; }
  if (x <= 0xfffffff) { n += 4; x <<= 4; }
  if (x <= 0x3fffffff) { n += 2; x <<= 2; }
  if (x <= 0x7fffffff) n++;
  return n;
}
static uint16_t seen[33];
YPU_MAIN { uint8_t n = clz(ypu_io(0)); seen[n]++; ypu_put8(n); }

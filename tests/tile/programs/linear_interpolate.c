#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(1200); YPU_OUTPUT(4, 1200);
static const uint16_t table[17] = {0,64,128,190,250,310,366,420,470,518,562,602,640,672,700,724,744};
static uint32_t mul(uint32_t a, uint32_t b) {
  uint32_t s = 0;
  for (int i = 0; i < 8; i++) { if (b & 1) s += a; a <<= 1; b >>= 1; }
  return s;
}
YPU_MAIN {
  uint32_t v = ypu_io(0) & 0xfff, i = v >> 8, f = v & 255;
  ypu_put32(table[i] + (mul(table[i + 1] - table[i], f) >> 8));
}

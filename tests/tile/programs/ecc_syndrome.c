#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(600); YPU_OUTPUT(1, 600);
static const uint8_t column[32] = {3,5,6,7,9,10,11,12,13,14,15,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,33,34,35,36,37,38};
YPU_MAIN {
  uint32_t v = ypu_io(0); uint8_t s = 0;
  for (int i = 0; i < 32; i++) if (v >> i & 1) s ^= column[i];
  ypu_put8(s);
}

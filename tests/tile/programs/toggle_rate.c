#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(2, 262144);
static uint32_t n; static uint16_t toggles; static uint8_t last;
YPU_MAIN {
  uint8_t b = ypu_io(0) & 1;
  toggles += b ^ last; last = b;
  if ((++n & 0xfff) == 7) { ypu_put16(toggles); toggles = 0; }
}

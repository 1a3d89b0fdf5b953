#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(4, 1536);
/* which bits toggled in every 32 samples */
static uint32_t before, toggled, left = 32;
YPU_MAIN {
  uint32_t now = ypu_io(0);
  toggled |= now ^ before;
  before = now;
  if (--left == 0) { left = 32; ypu_put32(toggled); toggled = 0; }
}

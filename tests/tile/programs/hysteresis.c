#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(1, 96);
static uint32_t on;
YPU_MAIN {
  uint32_t v = ypu_io(0) & 0xfff;
  if (on && v < 1000) { on = 0; ypu_put8(0); }
  else if (!on && v > 1200) { on = 1; ypu_put8(1); }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
static int16_t last; static uint8_t quiet;
YPU_MAIN {
  int16_t v = (int16_t)ypu_io(0);
  int32_t d = v - last;
  last = v;
  if (d < 0) d = -d;
  if (quiet) quiet--;
  else if (d > 500) { ypu_put32(ypu_arrival); quiet = 50; }
}

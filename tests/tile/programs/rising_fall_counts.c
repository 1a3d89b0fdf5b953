#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(400); YPU_OUTPUT(2, 400);
static uint16_t old;
YPU_MAIN {
  uint16_t now = ypu_io(0), up = now & ~old, down = old & ~now;
  uint8_t ups = 0, downs = 0;
  old = now;
  while (up) { up &= up - 1; ups++; }
  while (down) { down &= down - 1; downs++; }
  ypu_put8(ups); ypu_put8(downs);
}

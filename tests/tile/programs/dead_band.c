#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(2, 48);
static int16_t sent;
YPU_MAIN {
  int16_t v = (int16_t)ypu_io(0);
  int d = v - sent;
  if (d > 20 || d < -20) { sent = v; ypu_put16(v); }
}

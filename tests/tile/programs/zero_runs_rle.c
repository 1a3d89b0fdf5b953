#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(2, 96);
static uint8_t zeros;
YPU_MAIN {
  uint8_t v = ypu_io(0);
  if (v == 0 && zeros < 255) { zeros++; return; }
  ypu_put8(zeros); ypu_put8(v); zeros = 0;
}

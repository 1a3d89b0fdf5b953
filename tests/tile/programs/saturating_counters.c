#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(1, 40);

static uint8_t counters[64];
YPU_MAIN {
  uint8_t* c = &counters[ypu_io(0) >> 2 & 63];
  if (*c < 255) ++*c;
  ypu_put8(*c);
}

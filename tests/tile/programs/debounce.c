#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(1, 64);

static uint8_t stable, candidate, times;
YPU_MAIN {
  const uint8_t now = ypu_io(0) & 1;
  if (now == stable) {
    times = 0;
  } else if (now == candidate && ++times >= 5) {
    stable = now;
    times = 0;
    ypu_put8(stable);
  }
  candidate = now;
}

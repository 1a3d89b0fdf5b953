#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(1, 128);
/* a turn for each of 4 ports, as often as its weight tells */
static const uint8_t weight[4] = {4, 2, 1, 1}; static uint8_t port, left = 4;
YPU_MAIN {
  if (--left == 0) { port = (port + 1) & 3; left = weight[port]; }
  ypu_put8(port);
}

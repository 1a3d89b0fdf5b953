#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
static int credits = 8;
YPU_MAIN {
  credits += ypu_io(0) & 3;
  credits -= ypu_io(1) & 3;
  if (credits > 8) credits = 8;
  if (credits < 0) { ypu_put32(ypu_arrival); credits = 0; }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(32); YPU_OUTPUT(4, 32);
static uint32_t rose; static uint8_t was;
YPU_MAIN {
  uint8_t is = ypu_io(0) & 1;
  if (is && !was) rose = ypu_arrival;
  if (!is && was) ypu_put32(ypu_arrival - rose);
  was = is;
}

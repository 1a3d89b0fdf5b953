#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t low = 1, high;
YPU_MAIN {
  low += ypu_io(0) & 0xffff;
  if (low >= 65521) low -= 65521;
  high += low;
  if (high >= 65521) high -= 65521;
  ypu_put32(high << 16 | low);
}

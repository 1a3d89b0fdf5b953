#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(8, 8192);
static uint32_t last, low = 0xffffffffu, high, n;
YPU_MAIN {
  uint32_t gap = ypu_arrival - last;
  last = ypu_arrival;
  if (gap < low) low = gap;
  if (gap > high) high = gap;
  if ((++n & 63) == 0) { ypu_put32(low); ypu_put32(high); low = 0xffffffffu; high = 0; }
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(8, 40);

static uint32_t low = 0xffffffff, high;
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  if (v < low) low = v;
  if (v > high) high = v;
  ypu_put32(low);
  ypu_put32(high);
}

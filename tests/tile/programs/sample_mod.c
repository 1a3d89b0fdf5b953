/* Every value whose number is a multiple of 64, tested before counting. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(32);
YPU_OUTPUT(4, 2048);
static uint32_t n;
YPU_MAIN {
  if (n % 64 == 0) ypu_put32(ypu_io(0));
  n++;
}

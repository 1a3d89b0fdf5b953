#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(32); YPU_OUTPUT(1, 32);
/* protocol check: the sequence bit has to alternate */
static uint8_t expected;
YPU_MAIN {
  if ((ypu_io(0) & 1) != expected) ypu_put8(0xee);
  expected ^= 1;
}

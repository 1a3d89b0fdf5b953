#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(2, 96);
/* tries of 16 tags in two bits each of one word */
static uint32_t tries;
YPU_MAIN {
  uint32_t tag = ypu_io(0) & 15, shift = tag * 2;
  uint32_t n = tries >> shift & 3;
  if (n == 3) ypu_put16(tag);
  else tries += 1u << shift;
}

/* Mean of every 512 samples, by the low bits of a running number. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 16384);
static uint32_t n, sum;
YPU_MAIN {
  sum += ypu_io(0) & 0xffff;
  if ((++n & 511) == 0) { ypu_put32(sum >> 9); sum = 0; }
}

/* Alarm when the smoothed latency leaves its band, at most one in 64 answers. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 4096);
static uint32_t mean, quiet;
YPU_MAIN {
  mean += ((int32_t)(ypu_io(0) - mean)) >> 4;
  if (quiet) quiet--;
  if (mean > 200 && quiet == 0) { ypu_put32(mean); quiet = 64; }
}

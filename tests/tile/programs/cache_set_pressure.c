#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(200); YPU_OUTPUT(8, 204800);
/* the fullest of 32 sets, once in 1024 misses */
static uint16_t misses[32]; static uint16_t n;
YPU_MAIN {
  uint32_t set = (ypu_io(0) >> 6) & 31;
  misses[set]++;
  n = (n + 1) & 1023;
  if (n == 0) { ypu_put32(set); ypu_put32(misses[set]); }
}

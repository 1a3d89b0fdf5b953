#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(8, 4096);
static uint32_t left = 200, sum, peak;
YPU_MAIN {
  uint32_t v = ypu_io(0) & 1023;
  sum += v;
  if (v > peak) peak = v;
  if (--left == 0) { left = 200; ypu_put32(sum); ypu_put32(peak); sum = peak = 0; }
}

#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
/* largest distance of a measured value from its reference so far */
static uint32_t peak;
YPU_MAIN {
  int32_t error = (int32_t)ypu_io(0) - (int32_t)ypu_io(1);
  uint32_t size = error < 0 ? -error : error;
  if (size > peak) { peak = size; ypu_put32(peak); }
}

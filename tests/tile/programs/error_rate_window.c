#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(2, 8192);
/* errors in each window of 8192 cycles */
static uint32_t window; static uint16_t errors;
YPU_MAIN {
  uint32_t w = ypu_arrival >> 13;
  if (w != window) { ypu_put16(errors); errors = 0; window = w; }
  errors += ypu_io(0) & 1;
}

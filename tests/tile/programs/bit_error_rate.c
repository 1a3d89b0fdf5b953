#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(300); YPU_OUTPUT(4, 16384);
static uint32_t errors, words;
YPU_MAIN {
  uint32_t wrong = ypu_io(0) ^ ypu_io(1);
  for (int i = 0; i < 32; ++i) { errors += wrong & 1; wrong >>= 1; }
  if ((++words & 63) == 0) { ypu_put32(errors); errors = 0; }
}

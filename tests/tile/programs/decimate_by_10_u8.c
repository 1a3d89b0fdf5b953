#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(32); YPU_OUTPUT(4, 256);
static uint8_t phase; static uint32_t acc;
YPU_MAIN {
  acc += ypu_io(0) & 0xffff;
  if (++phase >= 10) { phase = 0; ypu_put32(acc); acc = 0; }
}

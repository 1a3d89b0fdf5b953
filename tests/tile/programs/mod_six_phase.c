#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(2, 576);
static uint8_t phase; static uint16_t acc;
YPU_MAIN {
  acc += ypu_io(0) & 15;
  phase = phase == 5 ? 0 : phase + 1;
  if (phase == 0) { ypu_put16(acc); acc = 0; }
}

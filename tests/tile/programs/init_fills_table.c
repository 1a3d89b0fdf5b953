#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(1, 40);

static uint8_t squares[16];
YPU_INIT {
  uint32_t s = 0;
  for (uint32_t i = 0; i < 16; ++i) {
    squares[i] = (uint8_t)s;
    s += 2 * i + 1;
  }
}
YPU_MAIN { ypu_put8(squares[ypu_io(0) & 15]); }

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(400);
YPU_OUTPUT(4, 400);

YPU_MAIN {
  uint32_t n = ypu_io(0) & 1023, hundreds = 0, tens = 0;
  while (n >= 100) {
    n -= 100;
    ++hundreds;
  }
  while (n >= 10) {
    n -= 10;
    ++tens;
  }
  ypu_put32(hundreds << 8 | tens << 4 | n);
}

#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(32); YPU_OUTPUT(8, 32);
static uint8_t captured;
YPU_MAIN {
  if (captured || !(ypu_io(0) & 0x80)) return;
  captured = 1;
  ypu_put32(ypu_arrival);
  ypu_put32(ypu_io(1));
}

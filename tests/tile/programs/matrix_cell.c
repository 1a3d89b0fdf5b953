#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

static uint32_t cells[8][8];
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  ypu_put32(++cells[v & 7][v >> 3 & 7]);
}

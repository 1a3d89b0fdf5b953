#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

static uint32_t ring[32], head;
YPU_MAIN {
  ring[head] = ypu_io(0);
  head = (head + 1) & 31;
  ypu_put32(ring[head]);
}

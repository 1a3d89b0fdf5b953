#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

static uint32_t ring[24], head;
YPU_MAIN {
  ring[head] = ypu_io(0);
  if (++head == 24) head = 0;
  ypu_put32(ring[head]);
}

#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(96);
YPU_OUTPUT(4, 96);

static uint32_t entered[12];
static unsigned head, tail, depth;
YPU_MAIN {
  if ((ypu_io(0) & 1) && depth < 12) {
    entered[tail] = ypu_arrival;
    if (++tail == 12) tail = 0;
    ++depth;
  }
  if ((ypu_io(1) & 1) && depth > 0) {
    ypu_put32(ypu_arrival - entered[head]);
    if (++head == 12) head = 0;
    --depth;
  }
}

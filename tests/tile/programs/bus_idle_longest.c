#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(8, 48);
static uint32_t last, longest;
YPU_INIT { last = 0; longest = 0; }
YPU_MAIN {
  uint32_t idle = ypu_arrival - last;
  last = ypu_arrival;
  if (idle <= longest) return;
  longest = idle;
  ypu_put32(ypu_arrival);
  ypu_put32(idle);
}

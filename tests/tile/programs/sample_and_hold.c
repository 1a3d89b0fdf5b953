#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(12, 65536);
static uint32_t value, when, next;
YPU_MAIN {
  if (ypu_io(1) & 1) { value = ypu_io(0); when = ypu_arrival; }
  if ((int32_t)(ypu_arrival - next) < 0) return;
  next = ypu_arrival + 65536;
  ypu_put32(value); ypu_put32(when); ypu_put32(ypu_arrival);
}

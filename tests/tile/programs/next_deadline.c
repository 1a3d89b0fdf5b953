#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 10000);
static uint32_t next, count;
YPU_MAIN {
  count++;
  if ((int32_t)(ypu_arrival - next) >= 0) { ypu_put32(count); count = 0; next = ypu_arrival + 10000; }
}

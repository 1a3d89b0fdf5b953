#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(80);
YPU_OUTPUT(4, 80);

static uint32_t average;
YPU_MAIN {
  average += ((int32_t)(ypu_io(0) - average)) >> 4;
  ypu_put32(average);
}
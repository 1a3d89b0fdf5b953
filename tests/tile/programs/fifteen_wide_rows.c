#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

static uint8_t table[64];
YPU_MAIN {
  const uint32_t i = ypu_io(0) & 3;
  table[i * 15 + 3] = (uint8_t)ypu_io(0);
  ypu_put32(table[i * 15]);
}

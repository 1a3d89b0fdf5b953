#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(64, 640);
YPU_DROPS_EXPECTED;
static uint32_t batch[16], held;
YPU_MAIN {
  batch[held++] = ypu_io(0);
  if (held < 16) return;
  held = 0;
  for (uint32_t i = 0; i < 16; ++i) ypu_put32(batch[i]);
}

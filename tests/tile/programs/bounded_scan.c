#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(260);
YPU_OUTPUT(4, 260);
YPU_DROPS_EXPECTED;
static uint32_t queue[16];
static uint32_t used;
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  for (uint32_t i = 0; i < used; ++i) {
    if (queue[i] == v) return;
  }
  if (used < 16) queue[used++] = v;
  ypu_put32(used);
}

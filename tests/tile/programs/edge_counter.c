#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t before, edges;
YPU_MAIN {
  const uint32_t now = ypu_io(0) & 1;
  if (now && !before) ++edges;
  before = now;
  ypu_put32(edges);
}
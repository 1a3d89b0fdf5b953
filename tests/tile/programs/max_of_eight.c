#include "ypu.h"
YPU_INPUTS(0xff); YPU_ARRIVAL(96); YPU_OUTPUT(1, 96);
YPU_MAIN {
  uint32_t best = 0, at = 0;
  for (int i = 0; i < 8; ++i) {
    uint32_t v = ypu_io(i);
    if (v > best) { best = v; at = i; }
  }
  ypu_put8(at);
}

// github.com/iovisor/bcc/issues/3638: the same, for 64 steps at most.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(2048);
YPU_OUTPUT(4, 2048);

static uint8_t parent[64];

YPU_MAIN {
  uint32_t at = ypu_io(0) & 63, steps = 0;
  parent[at] = ypu_io(0) >> 8 & 63;
  while (at != 0 && steps < 64) {
    at = parent[at];
    steps++;
  }
  ypu_put32(steps);
}

// github.com/iovisor/bcc/issues/3638: a list is followed to its end, which need not come.
// expect: rejected
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(2048);
YPU_OUTPUT(4, 2048);

static uint8_t parent[64];

YPU_MAIN {
  uint32_t at = ypu_io(0) & 63, steps = 0;
  parent[at] = ypu_io(0) >> 8 & 63;
  while (at != 0) {
    at = parent[at];
    steps++;
  }
  ypu_put32(steps);
}

// github.com/iovisor/bcc/issues/2389: a loop of more than fifteen rounds.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(1024);
YPU_OUTPUT(4, 1024);

static uint32_t seen[40];

YPU_MAIN {
  for (uint32_t i = 39; i > 0; i--) seen[i] = seen[i - 1];
  seen[0] = ypu_io(0);
  ypu_put32(seen[39]);
}

// github.com/iovisor/bcc/issues/258: an index by the remainder of 24.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(2048);
YPU_OUTPUT(4, 2048);

static uint32_t flag[24];

YPU_MAIN {
  const uint32_t at = ypu_io(0) % 24;
  ypu_put32(++flag[at]);
}

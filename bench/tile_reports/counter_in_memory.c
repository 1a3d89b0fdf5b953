// github.com/bpftrace/bpftrace/issues/4767: the counter of a loop lies in memory.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(32768);
YPU_OUTPUT(4, 32768);

static volatile uint32_t a;

YPU_MAIN {
  a = 0;
  while (a < 1024) ++a;
  ypu_put32(a + ypu_io(0));
}

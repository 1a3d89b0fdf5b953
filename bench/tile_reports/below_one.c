// github.com/vbpf/prevail/issues/744: a loop whose condition never changes.
// expect: rejected
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static volatile uint32_t value;

YPU_MAIN {
  value = 0;
  while (value < 1) {
  }
  ypu_put32(ypu_io(0));
}

// github.com/vbpf/prevail/issues/130: a local array at index -10.
// expect: rejected
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

YPU_MAIN {
  volatile uint32_t values[2];
  values[0] = ypu_io(0);
  values[-10] = 0;
  ypu_put32(values[0]);
}

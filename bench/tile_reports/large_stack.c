// github.com/eunomia-bpf/ActPlane/issues/20: more local data than there is stack.
// expect: rejected
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

YPU_MAIN {
  volatile uint32_t all[9000];
  all[ypu_io(0) & 4095] = 1;
  ypu_put32(all[0]);
}

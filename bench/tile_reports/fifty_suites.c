// github.com/microsoft/ebpf-for-windows/issues/3360: a loop fills a local array of fifty.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(2048);
YPU_OUTPUT(4, 2048);

struct hello {
  uint16_t suites[50];
  uint8_t count;
};

YPU_MAIN {
  volatile struct hello info;
  for (int i = 0; i < 50; i++) info.suites[i] = ypu_io(0) + i;
  info.count = 50;
  ypu_put32(info.suites[49] + info.count);
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t first, last, any;
YPU_MAIN {
  if (!any) first = ypu_io(0);
  any = 1;
  last = ypu_io(0);
  ypu_put32(last - first);
}
YPU_FINISH { ypu_put32(last); }
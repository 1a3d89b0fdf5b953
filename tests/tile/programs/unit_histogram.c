#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(200);
YPU_OUTPUT(288, 51200);

static uint32_t n;
YPU_INIT { ypu_hist_config(YPU_HIST_HASH(0x101)); }
YPU_MAIN {
  ypu_hist(ypu_io(0), ypu_io(0));
  if (++n == 256) {
    n = 0;
    ypu_emit(0);
  }
}

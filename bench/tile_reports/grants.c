// github.com/arch-hdl-lang/arch-com/pull/452: grants of three requesters, of which one is favoured.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(12, 64);

static uint32_t granted[4];

YPU_MAIN {
  granted[ypu_io(0) & 3]++;
  ypu_put32(granted[0]);
  ypu_put32(granted[1]);
  ypu_put32(granted[2]);
}

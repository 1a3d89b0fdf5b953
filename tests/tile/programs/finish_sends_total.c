#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(0, 1);

static uint32_t total;
YPU_MAIN { total += ypu_io(0); }
YPU_FINISH { ypu_put32(total); }

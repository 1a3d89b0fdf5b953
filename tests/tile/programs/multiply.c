#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(250);
YPU_OUTPUT(4, 250);

YPU_MAIN { ypu_put32((ypu_io(0) & 0xffff) * (ypu_io(0) >> 16)); }

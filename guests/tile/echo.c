/* The smallest useful program: sends IOReg 0 to the host. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(8);
YPU_OUTPUT(4, 8);

YPU_MAIN { ypu_put32(ypu_io(0)); }

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(40); YPU_OUTPUT(1, 120);
static unsigned char three;
YPU_MAIN { if (++three == 3) { three = 0; ypu_put8(ypu_io(0)); } }

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(1, 20000);
/* a sign of life at most every 20000 cycles */
static uint32_t last;
YPU_MAIN { if (ypu_arrival - last > 20000) { last = ypu_arrival; ypu_put8(0x55); } }

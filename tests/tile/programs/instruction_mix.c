#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(1, 128);
/* classes of RISC-V opcodes by a table of 32 */
static const uint8_t kind[32] = {1,0,0,0,2,0,0,0,3,0,0,0,2,4,0,0,0,0,0,0,0,0,0,0,5,6,0,6,7,0,0,0};
static uint32_t counts[8];
YPU_MAIN { uint8_t k = kind[(ypu_io(0) >> 2) & 31]; counts[k]++; ypu_put8(k); }

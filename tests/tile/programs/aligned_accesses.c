#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(80); YPU_OUTPUT(16, 8192);
/* how well addresses are aligned: to 4, 8, 16, 32 bytes */
static uint16_t aligned[4];
static uint16_t seen;
YPU_MAIN {
  uint32_t a = ypu_io(0);
  for (int i = 0; i < 4; ++i)
    if ((a & ((4u << i) - 1)) == 0) ++aligned[i];
  if (++seen == 128) {
    seen = 0;
    for (int i = 0; i < 4; ++i) { ypu_put16(aligned[i]); aligned[i] = 0; }
  }
}

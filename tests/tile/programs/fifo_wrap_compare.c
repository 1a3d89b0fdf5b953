#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
static uint32_t q[12]; static uint8_t wr, rd, n;
YPU_MAIN {
  if ((ypu_valid & 1) && n < 12) { q[wr] = ypu_arrival; if (++wr == 12) wr = 0; n++; }
  if ((ypu_valid & 2) && n) { ypu_put32(ypu_arrival - q[rd]); if (++rd == 12) rd = 0; n--; }
}

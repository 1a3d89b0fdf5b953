#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
#define N 16
static uint32_t q[N]; static uint32_t wr, rd;
YPU_MAIN {
  if ((ypu_valid & 1) && wr - rd < N) q[wr++ % N] = ypu_io(0);
  if ((ypu_valid & 2) && wr != rd) ypu_put32(q[rd++ % N]);
}

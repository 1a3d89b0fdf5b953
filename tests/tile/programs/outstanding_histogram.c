#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(68, 32768); YPU_DROPS_EXPECTED;
static uint32_t depth[17]; static uint32_t out, n;
YPU_MAIN {
  if ((ypu_valid & 1) && out < 16) out++;
  if ((ypu_valid & 2) && out > 0) out--;
  depth[out]++;
  if (++n % 1024 == 0) for (int i = 0; i <= 16; i++) ypu_put32(depth[i]);
}

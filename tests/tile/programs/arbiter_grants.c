#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(12, 65536);
/* grants of three masters, sent every 512 grants */
static uint32_t grants[3]; static uint32_t total;
YPU_MAIN {
  uint32_t m = ypu_io(0) & 3;
  if (m == 3) return;
  grants[m]++;
  if (++total < 512) return;
  total = 0;
  for (int i = 0; i < 3; i++) { ypu_put32(grants[i]); grants[i] = 0; }
}

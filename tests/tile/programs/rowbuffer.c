#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(12, 8192); YPU_DROPS_EXPECTED;
static uint16_t open[16]; static uint32_t hit, miss; static uint32_t n;
YPU_MAIN {
  uint32_t a = ypu_io(0), bank = a >> 13 & 15; uint16_t row = a >> 17;
  if (open[bank] == row) hit++; else { miss++; open[bank] = row; }
  n = (n + 1) & 0x1ff;
  if (!n) { ypu_put32(hit); ypu_put32(miss); hit = miss = 0; }
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(700);
YPU_OUTPUT(4, 700);

static uint32_t m[4][8];
YPU_MAIN {
  uint32_t sum = 0;
  m[ypu_io(0) & 3][ypu_io(0) >> 2 & 7] += 1;
  for (uint32_t i = 0; i < 4; ++i) {
    for (uint32_t j = 0; j < 8; ++j) sum += m[i][j];
  }
  ypu_put32(sum);
}

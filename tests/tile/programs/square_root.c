#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(700);
YPU_OUTPUT(4, 700);

YPU_MAIN {
  uint32_t n = ypu_io(0), root = 0;
  for (uint32_t bit = 1u << 30; bit != 0; bit >>= 2) {
    if (n >= root + bit) {
      n -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  ypu_put32(root);
}

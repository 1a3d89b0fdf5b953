#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(64, 4096);
YPU_DROPS_EXPECTED;
enum kind { LOAD, STORE, BRANCH, OTHER };
static uint32_t mix[4], seen;
static enum kind kind_of(uint32_t op) {
  switch (op & 0x7f) {
    case 0x03: return LOAD;
    case 0x23: return STORE;
    case 0x63: return BRANCH;
    default: return OTHER;
  }
}
YPU_MAIN {
  ++mix[kind_of(ypu_io(0))];
  if (++seen >= 64) {
    seen = 0;
    for (int i = 0; i < 4; ++i) ypu_put32(mix[i]);
  }
}
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t value, length;
YPU_MAIN {
  const uint32_t now = ypu_io(0) & 0xff;
  if (length != 0 && now == value) {
    ++length;
    return;
  }
  if (length != 0) {
    ypu_put32(value);
    ypu_put32(length);
  }
  value = now;
  length = 1;
}
YPU_FINISH { ypu_put32(length); }

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(120);
YPU_OUTPUT(4, 120);

static const uint8_t pattern[4] = {0xde, 0xad, 0xbe, 0xef};
static uint32_t state, found;
YPU_MAIN {
  const uint32_t c = ypu_io(0) & 255;
  if (c == pattern[state]) {
    if (++state == 4) { state = 0; ++found; }
  } else {
    state = c == pattern[0] ? 1 : 0;
  }
  ypu_put32(found);
}
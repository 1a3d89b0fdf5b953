#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

static uint32_t up(uint32_t v) { return v + 1; }
static uint32_t down(uint32_t v) { return v - 1; }
YPU_MAIN {
  uint32_t (*handler)(uint32_t) = ypu_io(0) & 1 ? up : down;
  __asm__("" : "+r"(handler));
  ypu_put32(handler(ypu_io(0)));
}

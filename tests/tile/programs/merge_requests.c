#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(4, 96);
/* requests of one line of 64 bytes are merged */
static uint32_t line = 0xffffffffu, merged;
YPU_MAIN {
  uint32_t l = ypu_io(0) >> 6;
  if (l == line) { merged++; return; }
  ypu_put32(merged);
  line = l; merged = 0;
}

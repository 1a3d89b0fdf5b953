#include "ypu.h"
YPU_INPUTS(0x7); YPU_ARRIVAL(80); YPU_OUTPUT(2, 80);
/* a line written by another core than before */
static uint8_t writer[512];
YPU_MAIN {
  uint32_t slot = ypu_io(0) >> 6 & 511, core = ypu_io(1) & 7;
  if (!(ypu_io(2) & 1)) return;
  if (writer[slot] != core + 1 && writer[slot] != 0) ypu_put16(slot);
  writer[slot] = core + 1;
}

// github.com/kevinpt/vhdl-extras/issues/10: the level of a FIFO and its highest. Bit 0 push, bit 1 pop.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t level, most;

YPU_MAIN {
  level += (ypu_io(0) & 1) - (ypu_io(0) >> 1 & 1);
  if (level > most) most = level;
  ypu_put32(level);
  ypu_put32(most);
}

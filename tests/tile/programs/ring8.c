/* The distance to the sample sixteen before, in a ring with an index of one byte. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);
static uint32_t ring[16];
static uint8_t at;
YPU_MAIN {
  ypu_put32(ypu_io(0) - ring[at]);
  ring[at] = ypu_io(0);
  at = (at + 1) % 16;
}

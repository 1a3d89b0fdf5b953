#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(160); YPU_OUTPUT(2, 160);
static uint16_t ring[8]; static uint8_t head;
YPU_MAIN {
  ring[head++ & 7] = ypu_io(0);
  uint16_t least = 0xffff;
  for (unsigned i = 0; i < 8; i++) if (ring[i] < least) least = ring[i];
  ypu_put16(least);
}

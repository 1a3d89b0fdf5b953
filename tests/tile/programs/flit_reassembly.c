#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(8, 128);
/* four flits of a packet by their number, sent when the last comes */
static uint16_t flit[4];
YPU_MAIN {
  uint32_t v = ypu_io(0), k = v >> 30;
  flit[k] = v;
  if (k == 3) for (int i = 0; i < 4; i++) ypu_put16(flit[i]);
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(320); YPU_OUTPUT(1, 320);
YPU_MAIN {
  uint32_t pending = ypu_io(0);
  if (!pending) return;
  uint8_t i = 0;
  while (!(pending & 1)) { pending >>= 1; i++; }
  ypu_put8(i);
}

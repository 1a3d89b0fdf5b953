#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(2, 64);
static uint8_t seen[512];
YPU_MAIN {
  uint16_t page = ypu_io(0) >> 12 & 4095;
  uint8_t bit = 1 << (page & 7);
  if (!(seen[page >> 3] & bit)) { seen[page >> 3] |= bit; ypu_put16(page); }
}

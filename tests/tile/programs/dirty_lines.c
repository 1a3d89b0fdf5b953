#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(1, 128);
/* a bit for each of 256 lines, a byte when one becomes dirty the first time */
static uint8_t dirty[32];
YPU_MAIN {
  uint32_t line = (ypu_io(0) >> 6) & 255;
  uint8_t bit = 1 << (line & 7);
  if (!(dirty[line >> 3] & bit)) { dirty[line >> 3] |= bit; ypu_put8(line); }
}

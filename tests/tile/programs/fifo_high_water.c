#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(96); YPU_OUTPUT(2, 96);
/* level of a FIFO of 64 and its highest */
static uint8_t level, high;
YPU_MAIN {
  if ((ypu_io(0) & 1) && level < 64) level++;
  if ((ypu_io(1) & 1) && level > 0) level--;
  if (level > high) { high = level; ypu_put8(high); }
}

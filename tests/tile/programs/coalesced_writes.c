#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(5, 64);
/* runs of consecutive lines are sent as start and length */
static uint32_t start; static uint8_t length;
YPU_MAIN {
  uint32_t line = ypu_io(0) >> 6;
  if (length > 0 && line == start + length && length < 200) { length++; return; }
  if (length) { ypu_put32(start); ypu_put8(length); }
  start = line; length = 1;
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
static uint16_t next; static uint8_t started;
YPU_MAIN {
  uint16_t seq = ypu_io(0);
  if (started && seq != next) { ypu_put16(next); ypu_put16(seq - next); }
  started = 1;
  next = seq + 1;
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(2, 64);
static uint16_t count[8][8];
static uint8_t state;
YPU_MAIN {
  uint8_t next = ypu_io(0) & 7;
  if (next != state) { ypu_put16(++count[state][next]); state = next; }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(32); YPU_OUTPUT(1, 32);
static uint8_t history, state;
YPU_MAIN {
  history = (uint8_t)(history << 1 | (ypu_io(0) & 1));
  if (!state && (history & 7) == 7) { state = 1; ypu_put8(1); }
  else if (state && (history & 7) == 0) { state = 0; ypu_put8(0); }
}

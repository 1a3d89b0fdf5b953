#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(40); YPU_OUTPUT(4, 40);
static uint32_t pulses; static uint8_t gate;
YPU_MAIN {
  uint8_t g = ypu_io(1) & 1;
  if (g) pulses += ypu_io(0) & 1;
  else if (gate) { ypu_put32(pulses); pulses = 0; }
  gate = g;
}

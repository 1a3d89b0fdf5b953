#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
static uint32_t taken_at; static uint8_t held;
YPU_MAIN {
  uint32_t wants = ypu_io(0) & 1;
  if (wants && !held) { taken_at = ypu_arrival; held = 1; }
  else if (!wants && held) { held = 0; ypu_put32(ypu_arrival - taken_at); }
}

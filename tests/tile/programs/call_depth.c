#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(8, 64);
static uint32_t entry[32]; static int8_t depth;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  if (v & 1) { if (depth < 32) entry[depth++] = ypu_arrival; }
  else if (v & 2) { if (depth > 0) { depth--; ypu_put32(depth); ypu_put32(ypu_arrival - entry[depth]); } }
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t tokens = 16, last, refused;
YPU_MAIN {
  const uint32_t now = ypu_arrival;
  tokens += (now - last) >> 6;
  last = now;
  if (tokens > 16) tokens = 16;
  if (tokens > 0) --tokens; else ++refused;
  ypu_put32(refused);
}
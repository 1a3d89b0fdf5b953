#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(96);
YPU_OUTPUT(4, 96);

static uint8_t history[64];
static uint8_t counters[256];
static uint32_t wrong;
YPU_MAIN {
  const uint32_t pc = ypu_io(0) >> 1, taken = ypu_io(0) & 1;
  uint8_t* h = &history[pc & 63];
  uint8_t* c = &counters[*h];
  if ((*c >= 2) != taken) ++wrong;
  if (taken && *c < 3) ++*c;
  if (!taken && *c > 0) --*c;
  *h = (uint8_t)(*h << 1 | taken);
  ypu_put32(wrong);
}

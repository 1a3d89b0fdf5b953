#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(80);
YPU_OUTPUT(4, 80);

static uint8_t counters[1024];
static uint32_t history, wrong;
YPU_MAIN {
  const uint32_t pc = ypu_io(0) >> 1, taken = ypu_io(0) & 1;
  uint8_t* c = &counters[(pc ^ history) & 1023];
  if ((*c > 1) != taken) ++wrong;
  if (taken) {
    if (*c < 3) ++*c;
  } else {
    if (*c > 0) --*c;
  }
  history = (history << 1 | taken) & 1023;
  ypu_put32(wrong);
}

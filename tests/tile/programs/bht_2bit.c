#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(4, 16384);
static uint8_t bht[256]; static uint32_t wrong, total;
YPU_MAIN {
  uint8_t i = (uint8_t)(ypu_io(0) >> 2), taken = ypu_io(1) & 1;
  if ((bht[i] >> 1) != taken) wrong++;
  if (taken) { if (bht[i] < 3) bht[i]++; } else if (bht[i] > 0) bht[i]--;
  if ((++total & 511) == 0) { ypu_put32(wrong); wrong = 0; }
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(160);
YPU_OUTPUT(4, 160);

#define WINDOW 10
static uint32_t window[WINDOW];
static unsigned at;
YPU_MAIN {
  window[at++] = ypu_io(0);
  if (at >= WINDOW) at = 0;
  uint32_t most = 0;
  for (int i = 0; i < WINDOW; ++i)
    if (window[i] > most) most = window[i];
  ypu_put32(most);
}

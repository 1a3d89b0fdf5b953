/* One message for each hang: nothing for 4096 tile cycles while something waits. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 4096);
static uint32_t waiting, progress;
static uint32_t barked;
YPU_MAIN {
  uint32_t what = ypu_io(0);
  if (what & 1) { if (waiting == 0) progress = ypu_arrival; waiting++; }
  if (what & 2) { waiting--; progress = ypu_arrival; barked = 0; }
  if (waiting && !barked && ypu_arrival - progress >= 4096) { barked = 1; ypu_put32(ypu_arrival); ypu_put32(waiting); }
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(4, 96);
/* doubles a wait after each failure, 1024 at most, and tells it */
static uint32_t wait = 1;
YPU_MAIN {
  if (ypu_io(0) & 1) wait = wait < 512 ? wait * 2 : 1024;
  else wait = 1;
  ypu_put32(wait);
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(1, 48);
/* beats of a burst until LAST */
static uint8_t beats;
YPU_MAIN {
  const uint32_t last = ypu_io(0) >> 31;
  if (beats < 255) beats++;
  if (last) { ypu_put8(beats); beats = 0; }
}

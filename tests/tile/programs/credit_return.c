#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(96); YPU_OUTPUT(1, 96);
/* credits never below 0 and never above 31, a byte when none is left */
static int32_t credits = 31;
YPU_MAIN {
  if (ypu_io(0) & 1) credits--;
  if (ypu_io(1) & 1) credits++;
  if (credits < 0) credits = 0;
  if (credits > 31) credits = 31;
  if (credits == 0) ypu_put8(1);
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(40); YPU_OUTPUT(4, 40);
static int32_t last;
YPU_MAIN {
  int32_t v = (int16_t)ypu_io(0);
  if ((v < 0) != (last < 0)) ypu_put32(ypu_arrival);
  last = v;
}

#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(40);
YPU_OUTPUT(8, 40);

YPU_MAIN {
  if (ypu_valid & 1) ypu_put32(ypu_io(0));
  if (ypu_valid & 2) ypu_put32(ypu_io(1));
}

#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static int32_t level, deviation;
YPU_MAIN {
  const int32_t sample = (int32_t)(ypu_io(0) & 0xffff) << 4;
  const int32_t error = sample - level;
  level += error >> 3;
  deviation += ((error < 0 ? -error : error) - deviation) >> 2;
  if (error > 4 * deviation) ypu_put32(ypu_arrival);
}

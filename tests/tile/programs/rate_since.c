/* Bytes sent since the last report, at least 10,000 tile cycles ago. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 10000);
static uint32_t last, bytes;
YPU_MAIN {
  bytes += ypu_io(0) & 0xfff;
  if (ypu_arrival - last >= 10000) {
    ypu_put32(ypu_arrival - last);
    ypu_put32(bytes);
    last = ypu_arrival;
    bytes = 0;
  }
}

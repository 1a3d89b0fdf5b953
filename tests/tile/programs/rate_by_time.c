/* Requests in each window of 8192 tile cycles. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(32);
YPU_OUTPUT(4, 8192);
static uint32_t requests, window;
YPU_MAIN {
  uint32_t now = ypu_arrival >> 13;
  if (now != window) { ypu_put32(requests); requests = 0; window = now; }
  requests++;
}

#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(96); YPU_OUTPUT(4, 96);
/* Start times of the last 8 requests; the answer's latency by order. */
static uint32_t began[8];
static uint8_t head, tail;
YPU_MAIN {
  if (ypu_valid & 1) { began[head] = ypu_arrival; head = (head + 1) & 7; }
  if ((ypu_valid & 2) && tail != head) { ypu_put32(ypu_arrival - began[tail]); tail = (tail + 1) & 7; }
}

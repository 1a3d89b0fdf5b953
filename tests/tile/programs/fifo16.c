/* Latency of requests in order, by a FIFO with two halfword indices. */
#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);
static uint32_t began[32];
static uint16_t head, tail;
YPU_MAIN {
  if (ypu_valid & 1) { began[tail] = ypu_arrival; tail = (tail + 1) & 31; }
  if ((ypu_valid & 2) && head != tail) { ypu_put32(ypu_arrival - began[head]); head = (head + 1) & 31; }
}

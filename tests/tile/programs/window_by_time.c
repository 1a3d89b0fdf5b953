#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(8, 4096);
static uint32_t start, count, bytes;
YPU_MAIN {
  uint32_t now = ypu_arrival;
  if (now - start >= 4096) { ypu_put32(count); ypu_put32(bytes); count = bytes = 0; start = now; }
  count++;
  bytes += ypu_io(0) & 0xfff;
}

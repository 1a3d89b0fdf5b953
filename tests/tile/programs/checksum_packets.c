#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(2, 64);
static uint32_t sum;
YPU_MAIN {
  sum += (ypu_io(0) & 0xffff) + (ypu_io(0) >> 16);
  if (ypu_io(1) & 1) {
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    ypu_put16(~sum);
    sum = 0;
  }
}

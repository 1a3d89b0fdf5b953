#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(128); YPU_OUTPUT(1, 128);
/* busy bits of 32 registers: set at issue, cleared at write back */
static uint32_t busy;
YPU_MAIN {
  uint32_t issue = ypu_io(0), back = ypu_io(1);
  if (back >> 31) busy &= ~(1u << (back & 31));
  if (issue >> 31) {
    if (busy >> (issue & 31) & 1) ypu_put8(issue & 31);
    busy |= 1u << (issue & 31);
  }
}

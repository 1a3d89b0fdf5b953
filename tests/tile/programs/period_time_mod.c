/* A mark in every period of 65536 tile cycles. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 65536);
static uint32_t period, energy;
YPU_MAIN {
  energy += ypu_io(0) & 255;
  if (period != ypu_arrival >> 16) { period = ypu_arrival >> 16; ypu_put32(period); ypu_put32(energy); }
}

#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(256); YPU_OUTPUT(36, 16384);
#define MASTERS 8
static uint32_t bytes[MASTERS];
static uint32_t began;
YPU_MAIN {
  uint32_t id = ypu_io(0) % MASTERS;
  if (ypu_arrival - began >= 16384) {
    began = ypu_arrival;
    ypu_put32(began);
    for (int m = 0; m < MASTERS; m++) { ypu_put32(bytes[m]); bytes[m] = 0; }
  }
  bytes[id] += ypu_io(1) & 0xff;
}

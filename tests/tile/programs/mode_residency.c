#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(20, 65536);
static uint32_t residency[5]; static uint8_t mode; static uint32_t since, reported;
YPU_MAIN {
  uint32_t now = ypu_arrival;
  residency[mode] += now - since;
  since = now;
  mode = ypu_io(0) % 4;
  if (now - reported > 65536) {
    reported = now;
    for (int i = 0; i < 5; ++i) ypu_put32(residency[i]);
  }
}

#include "ypu.h"
YPU_INPUTS(0x7); YPU_ARRIVAL(48); YPU_OUTPUT(5, 48);
static uint8_t faults[3];
YPU_MAIN {
  uint32_t a = ypu_io(0), b = ypu_io(1), c = ypu_io(2);
  uint32_t v = (a & b) | (a & c) | (b & c);
  int bad = a != v ? 0 : b != v ? 1 : c != v ? 2 : -1;
  if (bad < 0) return;
  if (faults[bad] < 100) faults[bad]++;
  ypu_put8(bad);
  ypu_put32(v);
}

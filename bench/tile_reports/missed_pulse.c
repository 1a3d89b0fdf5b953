// github.com/enjoy-digital/litex/issues/1835: a pulse a second whose interrupt is skipped. 40 cycles stand for the second.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t last, pulses, missed;

YPU_MAIN {
  const uint32_t gap = ypu_arrival - last;
  if (pulses > 0 && gap > 60 * 64) missed++;
  last = ypu_arrival;
  pulses++;
  ypu_put32(pulses);
  ypu_put32(missed);
}

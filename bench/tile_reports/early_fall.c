// github.com/tgingold-cern/cheby/issues/86: BVALID falls again before BREADY. Bit 0 valid, bit 1 ready, every cycle.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t before, handshakes, fallen;

YPU_MAIN {
  const uint32_t now = ypu_io(0);
  handshakes += now == 3;
  fallen += before == 1 && !(now & 1);
  before = now;
  ypu_put32(handshakes);
  ypu_put32(fallen);
}

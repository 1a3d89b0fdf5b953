// github.com/enjoy-digital/litex/issues/82: a request of Wishbone that nobody answers. Bits: cyc, stb, ack, err.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t waiting, answered, silent;

YPU_MAIN {
  const uint32_t in = ypu_io(0);
  if ((in & 3) != 3) {
    waiting = 0;
  } else if (in & 12) {
    answered++;
    waiting = 0;
  } else if (waiting <= 100) {
    silent += ++waiting == 100;
  }
  ypu_put32(answered);
  ypu_put32(silent);
}

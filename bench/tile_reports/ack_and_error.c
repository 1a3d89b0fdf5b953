// github.com/bittide/bittide-hardware/issues/90: ACK and ERR of Wishbone in one cycle. Bits: cyc, stb, ack, err.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t ended, both;

YPU_MAIN {
  const uint32_t in = ypu_io(0);
  if ((in & 3) == 3) {
    ended += (in & 12) != 0;
    both += (in & 12) == 12;
  }
  ypu_put32(ended);
  ypu_put32(both);
}

// github.com/UVVM/UVVM/issues/47: the longest single wait for TREADY, and all waits together. Bit 0 valid, bit 1 ready.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t wait, longest, all;

YPU_MAIN {
  if ((ypu_io(0) & 3) == 1) {
    all++;
    if (++wait > longest) longest = wait;
  } else {
    wait = 0;
  }
  ypu_put32(longest);
  ypu_put32(all);
}

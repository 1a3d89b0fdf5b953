// github.com/VUnit/vunit/issues/1018, zero-day-labs/riscv-iopmp/issues/9: bursts of AXI that cross 4 KiB, from the aligned address.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t bursts, crossing;

YPU_MAIN {
  const uint32_t size = ypu_io(1) >> 8 & 7, beats = (ypu_io(1) & 255) + 1;
  const uint32_t first = ypu_io(0) >> size << size;
  bursts++;
  crossing += (first ^ (first + (beats << size) - 1)) >> 12 != 0;
  ypu_put32(bursts);
  ypu_put32(crossing);
}

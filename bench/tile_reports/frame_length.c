// Beats and kept bytes of each frame of a stream. Bit 0: last; bits 8:1: keep.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t beats, bytes;

YPU_MAIN {
  const uint32_t in = ypu_io(0);
  beats++;
  uint32_t keep = in >> 1 & 255;
  keep = (keep & 0x55) + (keep >> 1 & 0x55);
  keep = (keep & 0x33) + (keep >> 2 & 0x33);
  bytes += (keep & 15) + (keep >> 4);
  if (in & 1) {
    ypu_put32(beats);
    ypu_put32(bytes);
    beats = bytes = 0;
  }
}

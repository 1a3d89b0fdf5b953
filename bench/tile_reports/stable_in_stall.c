// github.com/cucapra/protocols/pull/158: data or TLAST change while TVALID waits for TREADY.
// IOReg 0: data; IOReg 1: bit 0 valid, bit 1 ready, bit 2 last.
#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t data, flags, beats, changed;

YPU_MAIN {
  const uint32_t d = ypu_io(0), f = ypu_io(1);
  if ((flags & 3) == 1 && (!(f & 1) || d != data || (f ^ flags) & 4)) changed++;
  beats += (f & 3) == 3;
  data = d;
  flags = f;
  ypu_put32(beats);
  ypu_put32(changed);
}

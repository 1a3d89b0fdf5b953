#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(80);
YPU_OUTPUT(4, 80);

static uint32_t run, longest, last;
YPU_MAIN {
  const uint32_t v = ypu_io(0);
  run = v == last ? run + 1 : 1;
  last = v;
  if (run > longest) longest = run;
  ypu_put32(longest);
}
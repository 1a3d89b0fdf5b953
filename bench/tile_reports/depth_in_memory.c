// github.com/anakryiko/retsnoop/issues/79: a depth in memory, checked, bounds a loop over a stack.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(2048);
YPU_OUTPUT(4, 2048);

static uint32_t depth, stack[64];

YPU_MAIN {
  if (ypu_io(0) & 1) {
    if (depth >= 64) return;
    stack[depth] = ypu_io(0);
    depth++;
  } else if (depth > 0) {
    depth--;
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < depth; i++) sum += stack[i];
  ypu_put32(sum);
}

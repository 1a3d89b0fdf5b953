// github.com/iovisor/bcc/pull/5008: an index in memory, checked before its use.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static struct {
  uint32_t current;
  uint32_t met;
  uint32_t stack[2];
} state;

YPU_MAIN {
  state.met = ypu_io(0) & 7;
  if (state.met < 1 || state.met >= 3) return;
  if (state.stack[state.met - 1] == state.current) state.met--;
  ypu_put32(state.met);
}

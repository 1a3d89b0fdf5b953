// github.com/parttimenerd/ebpf-verifier-errors/issues/6: the next state is not checked.
// expect: rejected
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static const int8_t next[4][4] = {{1, -1, -1, -1}, {-1, 2, -1, -1}, {-1, -1, 3, -1}, {0, -1, -1, 3}};
static int32_t state;

YPU_MAIN {
  state = next[state][ypu_io(0) & 3];
  ypu_put32(state);
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(24, 131072);
typedef enum { NONE, FETCH, DECODE, ISSUE, MEMORY, COMMIT, REASONS } reason_t;
static uint32_t stalls[REASONS]; static uint32_t cycles;
static reason_t classify(uint32_t flags) {
  if (flags & 1) return FETCH;
  if (flags & 2) return DECODE;
  if (flags & 4) return ISSUE;
  if (flags & 8) return MEMORY;
  if (flags & 16) return COMMIT;
  return NONE;
}
YPU_MAIN {
  stalls[classify(ypu_io(0))]++;
  if ((++cycles & 1023) == 0)
    for (int r = 0; r < REASONS; ++r) { ypu_put32(stalls[r]); stalls[r] = 0; }
}

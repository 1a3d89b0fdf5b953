/* Per-instruction cycle stacks (Bryt 7.1): samples who pays for a cycle of an out-of-order core. IORegs 0..3 the
 * program counters that commit, 4 the oldest instruction when none does, 5 what an empty reorder buffer waits for,
 * 6 nine event bits of the first of them (and two buffer indices).
 * Each record is 6 bytes: program counter; bits 8:0 events, bits 14:12 how many share the cycle. */
#include "ypu.h"
YPU_INPUTS(0x7f);
YPU_ARRIVAL(1);
YPU_OUTPUT(24, 12);
YPU_DROPS_EXPECTED;

#ifndef PERIOD
#define PERIOD 1000
#endif

static uint32_t next_sample, phase = 0xace1;

static inline void record(uint32_t pc, uint32_t events, uint32_t share) {
  ypu_put32(pc);
  ypu_put16(events | share << 12);
}

YPU_MAIN {
  const uint32_t valid = ypu_valid, events = ypu_io(6) & 0x1ff;
  if ((int32_t)(ypu_cycle - next_sample) < 0) return;
  /* A random phase, and a pause that shifts the tile's own loop: loops whose length divides either are sampled all
   * over. */
  phase = phase >> 1 ^ (-(phase & 1) & 0xb400u);
  ypu_pause((phase & 63) + 1);
  next_sample += PERIOD - PERIOD / 16 + ((phase * (PERIOD / 8)) >> 16);
  if ((valid & 1) == 0) return record(ypu_io((valid & 16) ? 4 : 5), events, 1);
  const uint32_t n = (valid & 1) + (valid >> 1 & 1) + (valid >> 2 & 1) + (valid >> 3 & 1);
  record(ypu_io(0), events, n);
  if (n > 1) record(ypu_io(1), 0, n);
  if (n > 2) record(ypu_io(2), 0, n);
  if (n > 3) record(ypu_io(3), 0, n);
}

/* Per-instruction cycle stacks (Bryt 7.1): samples who pays for a cycle of an out-of-order core. IORegs 0..3 the
 * program counters that commit, 4 the oldest instruction when none does, 5 what an empty reorder buffer waits for,
 * 6 nine event bits of the first of them (misprediction: of the last), and two buffer indices.
 * The samples of each instruction and signature add up here. A record of 6 bytes, program counter and event bits,
 * leaves for every PERIOD cycles of one bar. A bar begins at a random part of a record, so that none is rounded
 * down. */
#include "ypu.h"
YPU_INPUTS(0x7f);
YPU_ARRIVAL(1);
YPU_OUTPUT(6, 12);
YPU_DROPS_EXPECTED;

#ifndef PERIOD
#define PERIOD 1000
#endif
#define GAP 128 /* cycles between samples */
#define MISPREDICTED 64

static struct bar {
  uint32_t pc, events, owed;
} bars[2048];
static uint32_t next_sample, dice = 0xace1;

static void charge(uint32_t pc, uint32_t events) {
  struct bar *bar = &bars[(pc >> 2 ^ events << 5) & 2047];
  if (bar->pc != pc || bar->events != events) {
    if (bar->pc == 0) bar->owed = (dice >> 20) * PERIOD >> 12;
    /* Two bars that share a place owe their sum, and each gets it in proportion to what it brought. */
    else if ((dice >> 20) * (bar->owed + GAP) >= GAP << 12) events = bar->events, pc = bar->pc;
    bar->pc = pc, bar->events = events;
  }
  bar->owed += GAP;
  if (bar->owed < PERIOD) return;
  bar->owed -= PERIOD;
  ypu_put32(pc);
  ypu_put16(events);
}

YPU_MAIN {
  if ((int32_t)(ypu_cycle - next_sample) < 0) return;
  const uint32_t valid = ypu_valid, events = ypu_io(6) & 0x1ff;
  /* Random gaps, and a pause that shifts the tile's own loop: loops of any length are sampled all over. */
  dice ^= dice << 13, dice ^= dice >> 17, dice ^= dice << 5;
  ypu_pause((dice & 15) + 1);
  next_sample += GAP / 2 + (dice >> 8) % GAP;
  if ((valid & 1) == 0) return charge(ypu_io((valid & 16) ? 4 : 5), events);
  /* One of those that share the cycle, by chance. */
  const uint32_t last = (valid & 8) ? 3 : (valid & 4) ? 2 : (valid & 2) ? 1 : 0;
  const uint32_t one = last == 2 ? (dice >> 16 & 255) * 3 >> 8 : dice >> 16 & last;
  charge(ypu_io(one), (one == 0 ? events & ~MISPREDICTED : 0) | (one == last ? events & MISPREDICTED : 0));
}

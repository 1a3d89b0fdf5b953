/* One thread fills the tables of all; on two sockets the others' memory is far away. As known from Broquedis and others:
 * Dynamic task and data placement over NUMA architectures. Fixed: who uses a table fills it. One turn: in a second
 * one all tables would be fetched again, a fault of its own (capacity). The far tables are filled first, so that the
 * filling thread's cache no longer holds them.
 * nodes: 2
 * expect: remote memory, tables */
#include "run_threads.h"
#define SLOTS (1 << 17)
static volatile long tables[MOST_THREADS][SLOTS] __attribute__((aligned(4096)));
static void fill(long thread) {
  for (int i = 0; i < SLOTS; i += 8) tables[thread][i] = i;
}
static void *work(void *p) {
  volatile long *own = tables[(long)p];
#ifdef FIXED
  fill((long)p);
#endif
  for (unsigned i = 0; i < SLOTS / 8; ++i) own[i * 2741 % (SLOTS / 8) * 8] += 1;
  return 0;
}
int main(int argc, char **argv) {
#ifndef FIXED
  const int most = argc > 1 ? atoi(argv[1]) : 4;
  for (int t = most; t-- > 0;) fill(t);
#endif
  run_threads(work, argc, argv);
  printf("%ld\n", tables[0][8]);
  return 0;
}

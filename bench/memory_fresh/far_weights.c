/* The main thread loads the weights of all workers, which then stream through theirs. On two sockets half of them are far
 * away. Fixed: each worker loads its own.
 * nodes: 2
 * expect: remote memory, weights */
#include "run_threads.h"
#define LENGTH (1 << 18)
static volatile double weights[MOST_THREADS][LENGTH] __attribute__((aligned(4096)));
static struct {
  volatile double sum;
  char unused[120];
} out[MOST_THREADS] __attribute__((aligned(128)));
static void load(long worker) {
  for (int i = 0; i < LENGTH; ++i) weights[worker][i] = i % 7;
}
static void *work(void *p) {
  const long me = (long)p;
#ifdef FIXED
  load(me);
#endif
  double sum = 0;
  for (int i = 0; i < LENGTH; ++i) sum += weights[me][i];
  out[me].sum = sum;
  return 0;
}
int main(int argc, char **argv) {
#ifndef FIXED
  const int most = argc > 1 ? atoi(argv[1]) : 4;
  for (int t = most; t-- > 0;) load(t);
#endif
  run_threads(work, argc, argv);
  printf("%g\n", out[0].sum);
  return 0;
}

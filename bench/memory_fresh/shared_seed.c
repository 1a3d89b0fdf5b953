/* All threads draw from one random state, moved on by compare-and-swap. Fixed: each thread has a state of its own.
 * expect: true sharing, seeds */
#include <stdatomic.h>
#include "run_threads.h"
static struct {
  _Atomic unsigned long state;
  char unused[120];
} seeds[MOST_THREADS] __attribute__((aligned(128)));
static struct {
  volatile long value;
  char unused[120];
} drawn[MOST_THREADS] __attribute__((aligned(128)));
static unsigned long draw(long stream) {
  unsigned long old = atomic_load(&seeds[stream].state);
  unsigned long next;
  do {
    next = old * 6364136223846793005UL + 1442695040888963407UL;
  } while (!atomic_compare_exchange_weak(&seeds[stream].state, &old, next));
  return next >> 33;
}
static void *work(void *p) {
#ifdef FIXED
  const long stream = (long)p;
#else
  const long stream = 0;
#endif
  for (int i = 0; i < 30000; ++i) drawn[(long)p].value += (long)(draw(stream) % 6);
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", drawn[0].value);
  return 0;
}

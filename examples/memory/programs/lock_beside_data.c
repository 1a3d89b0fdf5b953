/* A lock word beside what others read without it. Fixed: the reader's value stands on a line of its own.
 * expect: false sharing, state */
#include <stdatomic.h>
#include "run_threads.h"
static struct {
  atomic_long ticks;
#ifdef FIXED
  char rest[120];
#endif
  long limit;
} state __attribute__((aligned(128)));
static void *work(void *p) {
  volatile long seen = 0;
  for (int i = 0; i < 200000; ++i) {
    if ((long)p == 0) {
      atomic_store(&state.ticks, i);
    } else {
      seen += *(volatile long *)&state.limit;
    }
  }
  return 0;
}
int main(int argc, char **argv) {
  state.limit = 5;
  run_threads(work, argc, argv);
  printf("%ld\n", state.ticks);
  return 0;
}

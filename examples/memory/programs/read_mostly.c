/* Settings that all read, beside a count that one writes. As known from i_mmap beside its lock, and mmap_lock beside a hot count, in
 * Linux. Fixed: the count has a line of its own.
 * expect: false sharing, state */
#include "run_threads.h"
static struct {
  volatile long limit, mask;
#ifdef FIXED
  char rest[112];
#endif
  volatile long count;
} state __attribute__((aligned(128)));
static void *work(void *p) {
  volatile long mine = (long)p;
  for (int i = 0; i < 150000; ++i) {
    if ((long)p == 0)
      ++state.count;
    else
      mine += state.limit & state.mask;
  }
  return 0;
}
int main(int argc, char **argv) {
  state.limit = 7;
  state.mask = 3;
  run_threads(work, argc, argv);
  printf("%ld\n", state.count);
  return 0;
}

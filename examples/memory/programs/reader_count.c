/* Readers announce themselves in one count. As known from reader-writer locks of databases and kernels. Fixed: each has a count
 * of its own.
 * expect: true sharing, readers */
#include <stdatomic.h>
#include "run_threads.h"
static struct { atomic_long inside; } __attribute__((aligned(128))) readers[MOST_THREADS];
static volatile long table[16];
static void *work(void *p) {
  volatile long mine = 0;
#ifdef FIXED
  atomic_long *inside = &readers[(long)p].inside;
#else
  atomic_long *inside = &readers[0].inside;
  (void)p;
#endif
  for (int i = 0; i < 60000; ++i) {
    atomic_fetch_add(inside, 1);
    mine += table[i % 16];
    atomic_fetch_sub(inside, 1);
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", (long)readers[0].inside);
  return 0;
}

/* Everybody adds to one total. Fixed: each adds at home and once at the end.
 * expect: true sharing, total */
#include <stdatomic.h>
#include "run_threads.h"
static atomic_long total;
static void *work(void *p) {
  volatile long mine = (long)p;
  for (int i = 0; i < 150000; ++i) {
#ifdef FIXED
    mine += i;
#else
    atomic_fetch_add(&total, i);
#endif
  }
  atomic_fetch_add(&total, mine);
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", total);
  return 0;
}

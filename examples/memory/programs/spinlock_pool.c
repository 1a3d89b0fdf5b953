/* A pool of spin locks in neighbouring words, each taken by one thread only. As known from Boost's spinlock_pool.
 * Fixed: a line for each lock.
 * expect: false sharing, pool */
#include <stdatomic.h>
#include "run_threads.h"
#ifdef FIXED
struct slot { atomic_int held; char rest[124]; };
#else
struct slot { atomic_int held; };
#endif
static struct slot pool[MOST_THREADS] __attribute__((aligned(128)));
static void *work(void *p) {
  struct slot *s = &pool[(long)p];
  for (int i = 0; i < 120000; ++i) {
    while (atomic_exchange(&s->held, 1)) {
    }
    atomic_store(&s->held, 0);
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", pool[0].held);
  return 0;
}

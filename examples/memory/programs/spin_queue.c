/* A spin lock that is tried without a look. As known from HPX's spin lock. Fixed: work is taken in batches without
 * the lock.
 * expect: lock, queue */
#include <stdatomic.h>
#include "run_threads.h"
static struct { atomic_int held; long next; } queue __attribute__((aligned(128)));
static void *work(void *p) {
  volatile long mine = (long)p;
#ifdef FIXED
  for (int i = 0; i < 100000; ++i) ++mine;
#else
  for (int i = 0; i < 40000; ++i) {
    while (atomic_exchange(&queue.held, 1)) {
    }
    ++queue.next;
    atomic_store(&queue.held, 0);
    ++mine;
  }
#endif
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", queue.next);
  return 0;
}

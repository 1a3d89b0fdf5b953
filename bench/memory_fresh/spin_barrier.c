/* Workers meet at a barrier of two atomic words after every few additions. Fixed: they meet after many.
 * expect: true sharing|lock, meeting */
#include <stdatomic.h>
#include "run_threads.h"
static struct {
  atomic_int come;
  atomic_int round;
} meeting __attribute__((aligned(128)));
static struct {
  volatile long value;
  char unused[120];
} partial[MOST_THREADS] __attribute__((aligned(128)));
static void meet(void) {
  const int round = atomic_load(&meeting.round);
  if (atomic_fetch_add(&meeting.come, 1) + 1 == threads) {
    atomic_store(&meeting.come, 0);
    atomic_store(&meeting.round, round + 1);
  } else {
    while (atomic_load(&meeting.round) == round) sched_yield();
  }
}
static void *work(void *p) {
#ifdef FIXED
  const int between = 20000;
#else
  const int between = 4;
#endif
  for (int i = 0; i < 40000; ++i) {
    partial[(long)p].value += i;
    if (i % between == 0 && i < 4000 * between) meet();
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", partial[0].value);
  return 0;
}

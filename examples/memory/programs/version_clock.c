/* Transactions read one clock at their beginning and move it at their end. As known from software transactional memory. Fixed: it is
 * moved and read once in 4,096.
 * expect: true sharing, version */
#include <stdatomic.h>
#include "run_threads.h"
static struct { volatile long words[16]; } own[MOST_THREADS] __attribute__((aligned(128)));
static struct { atomic_long now; } version __attribute__((aligned(128)));
static void *work(void *p) {
  volatile long *mine = own[(long)p].words;
  long seen = 0;
  for (int i = 0; i < 60000; ++i) {
#ifdef FIXED
    const int looks = i % 4096 == 0;
#else
    const int looks = 1;
#endif
    if (looks)
      seen = atomic_load(&version.now);
    for (int k = 0; k < 4; ++k) mine[k] += seen;
    if (looks)
      atomic_fetch_add(&version.now, 1);
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", (long)version.now);
  return 0;
}

/* A paged cache keeps a counter at the head of each of many pages and visits them in random order. Fixed: the counters lie
 * side by side.
 * expect: address translation, pool */
#include "run_threads.h"
#define PAGES 6000
#ifdef FIXED
#define STEP 64
#else
#define STEP (4096 + 64)
#endif
static char pool[MOST_THREADS][(long)PAGES * STEP + 4096] __attribute__((aligned(4096)));
static void *work(void *p) {
  char *own = pool[(long)p];
  unsigned long state = (unsigned long)p * 31 + 7;
  for (int i = 0; i < 150000; ++i) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    ++*(volatile long *)&own[(long)((state >> 33) % PAGES) * STEP];
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", pool[0][0]);
  return 0;
}

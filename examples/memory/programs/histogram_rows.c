/* A histogram row a thread; rows are 24 bytes. As known from Phoenix's histogram. Fixed: rows padded to 128 bytes.
 * expect: false sharing, bins */
#include "run_threads.h"
#ifdef FIXED
#define WIDTH 32
#else
#define WIDTH 6
#endif
static volatile int bins[MOST_THREADS][WIDTH] __attribute__((aligned(128)));
static void *work(void *p) {
  unsigned x = (unsigned)(long)p + 1;
  for (int i = 0; i < 150000; ++i) {
    x = x * 1664525u + 1013904223u;
    ++bins[(long)p][x >> 16 & 3];
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", bins[0][0]);
  return 0;
}

/* Sums of a linear regression, one struct a thread in an array from the heap. As known from Phoenix's
 * linear_regression: the structs are smaller than a line. Fixed: each is aligned to two lines.
 * expect: false sharing, heap block */
#include "run_threads.h"
#ifdef FIXED
#define ALIGNED __attribute__((aligned(128)))
#else
#define ALIGNED
#endif
struct sums { volatile long x, y, xx, yy, xy; } ALIGNED;
static struct sums *sums;
static void *work(void *p) {
  struct sums *s = &sums[(long)p];
  for (long i = 0; i < 60000; ++i) {
    s->x += i;
    s->y += i ^ 3;
    s->xx += i * i;
    s->xy += i * (i ^ 3);
  }
  return 0;
}
int main(int argc, char **argv) {
  sums = aligned_alloc(128, MOST_THREADS * sizeof *sums);
  for (int i = 0; i < MOST_THREADS; ++i) sums[i] = (struct sums){0};
  run_threads(work, argc, argv);
  printf("%ld\n", sums[0].xy);
  return 0;
}

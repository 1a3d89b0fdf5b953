/* Workers of a data-parallel step add their gradients into one shared array. Fixed: each has an array of its own.
 * expect: true sharing, gradient */
#include "run_threads.h"
#define PARTS 256
static volatile float gradient[MOST_THREADS][PARTS] __attribute__((aligned(4096)));
static void *work(void *p) {
#ifdef FIXED
  volatile float *sum = gradient[(long)p];
#else
  volatile float *sum = gradient[0];
  (void)p;
#endif
  for (int step = 0; step < 200; ++step) {
    for (int i = 0; i < PARTS; ++i) sum[i] += (float)i * 0.5f;
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%g\n", (double)gradient[0][7]);
  return 0;
}

/* Partial sums at a stride of 32 bytes, taken for the size of a line. As known from PARSEC's streamcluster. Fixed: the
 * stride is 128 bytes.
 * expect: false sharing, work_mem */
#include "run_threads.h"
#ifdef FIXED
#define STRIDE 16
#else
#define STRIDE 4
#endif
static volatile long long work_mem[MOST_THREADS * STRIDE] __attribute__((aligned(128)));
static void *work(void *p) {
  volatile long long *sum = &work_mem[(long)p * STRIDE];
  for (int i = 0; i < 200000; ++i) *sum += i;
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%lld\n", work_mem[0]);
  return 0;
}

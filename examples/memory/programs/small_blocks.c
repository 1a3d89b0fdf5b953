/* Blocks of 16 bytes from the heap, one a thread, allocated by one thread one after another. As known from allocators that give
 * neighbours to different threads. Fixed: each block fills two lines.
 * expect: false sharing, heap block */
#include "run_threads.h"
#ifdef FIXED
#define BYTES 256
#else
#define BYTES 16
#endif
static volatile long *block[MOST_THREADS];
static void *work(void *p) {
  volatile long *mine = block[(long)p];
  for (int i = 0; i < 200000; ++i) *mine += i;
  return 0;
}
int main(int argc, char **argv) {
  for (int i = 0; i < MOST_THREADS; ++i) {
    block[i] = malloc(BYTES);
    *block[i] = 0;
  }
  run_threads(work, argc, argv);
  printf("%ld\n", *block[1]);
  return 0;
}

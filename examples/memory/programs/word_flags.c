/* Flags of neighbouring threads, one byte each. As known from Phoenix's string_match. Fixed: one line each.
 * expect: false sharing, found */
#include "run_threads.h"
#ifdef FIXED
#define STEP 128
#else
#define STEP 1
#endif
static volatile unsigned char found[MOST_THREADS * STEP] __attribute__((aligned(128)));
static void *work(void *p) {
  for (int i = 0; i < 200000; ++i) found[(long)p * STEP] ^= (unsigned char)i;
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", found[0]);
  return 0;
}

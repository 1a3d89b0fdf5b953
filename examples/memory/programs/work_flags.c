/* Every worker raises a flag in one shared word with an atomic or. As known from bit maps of busy workers. Fixed: a word each.
 * expect: true sharing, busy */
#include <stdatomic.h>
#include "run_threads.h"
static struct { atomic_uint bits; } __attribute__((aligned(128))) busy[MOST_THREADS];
static void *work(void *p) {
  volatile long mine = 0;
#ifdef FIXED
  atomic_uint *bits = &busy[(long)p].bits;
#else
  atomic_uint *bits = &busy[0].bits;
#endif
  const unsigned bit = 1u << (long)p % 32;
  for (int i = 0; i < 60000; ++i) {
    atomic_fetch_or(bits, bit);
    mine += i;
    atomic_fetch_and(bits, ~bit);
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%u\n", (unsigned)busy[0].bits);
  return 0;
}

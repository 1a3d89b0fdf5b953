/* Probes of a table that is larger than the cache, in the order of their hashes. As known from Shatdal, Kant, Naughton: Cache
 * conscious algorithms for relational query processing. Fixed: probes are made partition by partition.
 * expect: capacity, heap block */
#include "run_threads.h"
#define SLOTS (1 << 18)
#define PROBES (1 << 18)
static volatile long total;
static void *work(void *p) {
  volatile long *own = calloc(SLOTS, sizeof *own);
#ifdef FIXED
  const unsigned partition = 1 << 11;
#else
  const unsigned partition = SLOTS;
#endif
  for (unsigned first = 0; first < SLOTS; first += partition) {
    unsigned hash = (unsigned)(long)p + 1;
    for (unsigned i = 0; i < (unsigned)((long)PROBES * partition / SLOTS); ++i) {
      hash = hash * 1664525u + 1013904223u;
      own[first + (hash >> 8) % partition] += 1;
    }
  }
  if ((long)p == 0) total = own[5];
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", total);
  return 0;
}

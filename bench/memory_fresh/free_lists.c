/* An allocator keeps a free list for each thread, and all heads in one small array. Fixed: the heads lie apart.
 * expect: false sharing, heads */
#include "run_threads.h"
struct block {
  struct block *next;
  char rest[56];
};
struct head {
  struct block *volatile first;
#ifdef FIXED
  char unused[120];
#endif
};
static struct head heads[MOST_THREADS] __attribute__((aligned(128)));
static struct block blocks[MOST_THREADS][64] __attribute__((aligned(128)));
static void *work(void *p) {
  struct head *own = &heads[(long)p];
  for (int i = 0; i < 64; ++i) {
    blocks[(long)p][i].next = own->first;
    own->first = &blocks[(long)p][i];
  }
  for (int i = 0; i < 30000; ++i) {
    struct block *taken = own->first;
    own->first = taken->next;
    taken->rest[i % 56] = (char)i;
    taken->next = own->first;
    own->first = taken;
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", heads[0].first != 0);
  return 0;
}

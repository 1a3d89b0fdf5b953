/* Head and tail of a ring on one line: the reader moves one, the writer the other. Fixed: a line each.
 * expect: false sharing, ring */
#include "run_threads.h"
static struct {
  volatile long head;
#ifdef FIXED
  char rest[120];
#endif
  volatile long tail;
} ring __attribute__((aligned(128)));
static void *work(void *p) {
  for (int i = 0; i < 200000; ++i) {
    if ((long)p % 2) {
      if ((long)p == 1) ++ring.head;
    } else if ((long)p == 0) {
      ++ring.tail;
    }
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", ring.head + ring.tail);
  return 0;
}

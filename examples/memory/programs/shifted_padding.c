/* Slots of exactly one line each, that begin in its middle: every line holds halves of two. As known from padding to 64 bytes
 * where the allocator gives less. Fixed: the array begins on a line.
 * expect: false sharing, shifted */
#include "run_threads.h"
struct slot { volatile long done; long rest[6]; volatile long waiting; };
static struct { char head[32]; struct slot slots[MOST_THREADS]; } shifted __attribute__((aligned(128)));
static struct { struct slot slots[2 * MOST_THREADS]; } straight __attribute__((aligned(128)));
static void *work(void *p) {
#ifdef FIXED
  struct slot *s = &straight.slots[2 * (long)p];
#else
  struct slot *s = &shifted.slots[(long)p];
#endif
  for (int i = 0; i < 100000; ++i) {
    ++s->done;
    ++s->waiting;
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", shifted.slots[0].done + straight.slots[0].done);
  return 0;
}

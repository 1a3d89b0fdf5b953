// Four threads throw dice with random(), which takes a lock inside the C library at every call.
// expect: lock, libc_lock_in_rand
#include "run_threads.h"

static long sixes[MOST_THREADS][16];

static void *work(void *p) {
  const long me = (long)p;
  unsigned long state = (unsigned long)me + 1;
  for (int throw = 0; throw < 50000; ++throw) {
#ifdef FIXED
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    const long face = (long)(state >> 33) % 6;
#else
    const long face = random() % 6 + (long)(state >> 60);
#endif
    sixes[me][0] += face == 5;
    __asm__ volatile("" ::: "memory");
  }
  return 0;
}

int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  return 0;
}

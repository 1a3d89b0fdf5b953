/* Each worker writes its loss and its step into a small struct of a common array. Fixed: a line each.
 * expect: false sharing, progress */
#include "run_threads.h"
struct slot {
  volatile double loss;
  volatile int step;
#ifdef FIXED
} __attribute__((aligned(128)));
#else
};
#endif
static struct slot progress[MOST_THREADS] __attribute__((aligned(128)));
static void *work(void *p) {
  struct slot *own = &progress[(long)p];
  for (int i = 0; i < 40000; ++i) {
    own->loss = own->loss * 0.99 + 0.01;
    ++own->step;
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%g %d\n", progress[0].loss, progress[0].step);
  return 0;
}

/* A reference count beside a pointer that everybody reads. As known from shared pointers. Fixed: the count has a line
 * of its own, and each thread holds the object once instead of for each use.
 * expect: false sharing, shared_object */
#include <stdatomic.h>
#include "run_threads.h"
static struct { atomic_long references; long value; } shared_object;
static void *work(void *p) {
  long sum = (long)p;
#ifdef FIXED
  atomic_fetch_add(&shared_object.references, 1);
  const long value = shared_object.value;
  volatile long local = 0;
  for (int i = 0; i < 150000; ++i) local += value;
  sum += local;
#else
  for (int i = 0; i < 150000; ++i) {
    atomic_fetch_add(&shared_object.references, 1);
    sum += *(volatile long *)&shared_object.value;
  }
#endif
  return (void *)sum;
}
int main(int argc, char **argv) {
  shared_object.value = 7;
  run_threads(work, argc, argv);
  printf("%ld\n", shared_object.references);
  return 0;
}

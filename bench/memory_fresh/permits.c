/* A semaphore lets two threads at a time into a short section. Fixed: a permit is taken once for many turns.
 * expect: lock|true sharing, permits */
#include <semaphore.h>
#include "run_threads.h"
static struct {
  sem_t free;
  char unused[96];
} permits __attribute__((aligned(128)));
static struct {
  volatile long turns;
  char unused[120];
} done[MOST_THREADS] __attribute__((aligned(128)));
static void *work(void *p) {
#ifdef FIXED
  const int batch = 2000;
#else
  const int batch = 1;
#endif
  for (int i = 0; i < 20000; i += batch) {
    sem_wait(&permits.free);
    for (int k = 0; k < batch; ++k) done[(long)p].turns += i;
    sem_post(&permits.free);
  }
  return 0;
}
int main(int argc, char **argv) {
  sem_init(&permits.free, 0, 2);
  run_threads(work, argc, argv);
  printf("%ld\n", done[0].turns);
  return 0;
}

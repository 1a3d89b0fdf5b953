// Four threads look up prices under a read-write lock that nobody takes to write: the count of readers in the lock
// goes from core to core.
// expect: true sharing, prices
#include <pthread.h>

#include "run_threads.h"

#ifdef FIXED
#define READERS MOST_THREADS
#else
#define READERS 1
#endif
static struct {
  pthread_rwlock_t lock;
  char apart[128 - sizeof(pthread_rwlock_t) % 64];
} prices[READERS] __attribute__((aligned(64)));
static volatile int table[256];

static void *work(void *p) {
  const long me = (long)p;
  long sum = 0;
  for (int i = 0; i < 30000; ++i) {
    pthread_rwlock_rdlock(&prices[me % READERS].lock);
    sum += table[i % 256];
    pthread_rwlock_unlock(&prices[me % READERS].lock);
  }
  return (void *)sum;
}

int main(int argc, char **argv) {
  for (int i = 0; i < READERS; ++i)
    pthread_rwlock_init(&prices[i].lock, 0);
  run_threads(work, argc, argv);
  return 0;
}

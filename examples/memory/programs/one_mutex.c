/* Accounts under one mutex. As known from lock_sys of database servers. Fixed: each thread works on an account and a
 * mutex of its own.
 * expect: lock, table */
#include "run_threads.h"
struct account { pthread_mutex_t mutex; long money; } __attribute__((aligned(128)));
static struct account table[MOST_THREADS];
static void *work(void *p) {
#ifdef FIXED
  struct account *a = &table[(long)p];
#else
  struct account *a = &table[0];
  (void)p;
#endif
  for (int i = 0; i < 60000; ++i) {
    pthread_mutex_lock(&a->mutex);
    a->money += i;
    pthread_mutex_unlock(&a->mutex);
  }
  return 0;
}
int main(int argc, char **argv) {
  for (int i = 0; i < MOST_THREADS; ++i) pthread_mutex_init(&table[i].mutex, 0);
  run_threads(work, argc, argv);
  printf("%ld\n", table[0].money);
  return 0;
}

/* Sixteen buckets, but the hash takes three bits too few: all keys go to two locks. As known from lock striping. Fixed: each thread's
 * keys have a bucket of their own.
 * expect: lock, buckets */
#include "run_threads.h"
struct bucket { pthread_mutex_t mutex; volatile long count; } __attribute__((aligned(128)));
static struct bucket buckets[MOST_THREADS];
static void *work(void *p) {
  for (int i = 0; i < 60000; ++i) {
#ifdef FIXED
    struct bucket *b = &buckets[(long)p];
#else
    struct bucket *b = &buckets[((unsigned)i * 40503u >> 8) & 1];
    (void)p;
#endif
    pthread_mutex_lock(&b->mutex);
    ++b->count;
    pthread_mutex_unlock(&b->mutex);
  }
  return 0;
}
int main(int argc, char **argv) {
  for (int i = 0; i < MOST_THREADS; ++i) pthread_mutex_init(&buckets[i].mutex, 0);
  run_threads(work, argc, argv);
  printf("%ld\n", buckets[0].count);
  return 0;
}

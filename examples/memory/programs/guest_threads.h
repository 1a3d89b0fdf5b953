/* The same programs on the simulated harts (docs/guests.md): what they use of the C library, by the guests'
 * runtime. One thread a hart. */
#include "lento.h"

#define MOST_THREADS 64
#define printf(...) ((void)0)
#define malloc allocate
#define aligned_alloc(align, bytes) allocate(bytes)
static int threads = 1;

typedef mutex_t pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER \
  { 0 }
static inline int pthread_mutex_init(pthread_mutex_t* mutex, const void* none) {
  (void)none;
  mutex->taken = 0;
  return 0;
}
#define pthread_mutex_lock mutex_lock
#define pthread_mutex_unlock mutex_unlock

static void* (*guest_work)(void*);
static void guest_start(void* number) {
  guest_work(number);
}

static void run_threads(void* (*work)(void*), int argc, char** argv) {
  thread_t handle[MOST_THREADS];
  (void)argc;
  (void)argv;
  guest_work = work;
  threads = (int)hart_count();
  for (long i = 1; i < threads; ++i)
    thread_create(&handle[i], guest_start, (void*)i);
  work(0);
  for (int i = 1; i < threads; ++i)
    thread_join(&handle[i]);
}

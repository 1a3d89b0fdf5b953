/* What the programs share: so many threads run `work` with their number, then all are joined. */
#ifdef LENTO_GUEST
#include "guest_threads.h"
#else
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_THREADS 64
static int threads = 4;

static void run_threads(void* (*work)(void*), int argc, char** argv) {
  pthread_t handle[MOST_THREADS];
  if (argc > 1)
    threads = atoi(argv[1]);
  if (threads < 1 || threads > MOST_THREADS)
    exit(2);
  for (long i = 0; i < threads; ++i)
    pthread_create(&handle[i], 0, work, (void*)i);
  for (int i = 0; i < threads; ++i)
    pthread_join(handle[i], 0);
}
#endif

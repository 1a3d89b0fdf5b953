/* Planted: all threads pass through one lock with little work between. Which lock of the table, how long the
 * critical section and the private work are, and the data follow the seed. */
#include "lento.h"

enum { kLocks = 32, kRounds = 600, kMaxThreads = 8, kTable = 64 };

LENTO_ALIGNED struct { mutex_t mutex; uint32_t pad[15]; } locks[kLocks];
LENTO_ALIGNED static uint32_t table[kTable];
static LENTO_ALIGNED barrier_t start;
static struct { uint32_t lock, seed, inside, outside; } plan;

__attribute__((noinline)) static void update_table(uint32_t* state, uint32_t steps) {
  for (uint32_t i = 0; i < steps; ++i) table[next_random(state) % kTable] += i;
}

static void worker(void* argument) {
  uint32_t state = plan.seed * 2654435761u + (uint32_t)(uintptr_t)argument + 1, sum = 0;
  mutex_t* lock = &locks[plan.lock].mutex;
  barrier_wait(&start);
  for (int i = 0; i < kRounds; ++i) {
    for (uint32_t j = next_random(&state) % plan.outside; j > 0; --j) sum += next_random(&state);
    mutex_lock(lock);
    update_table(&state, plan.inside + (sum & 1));
    mutex_unlock(lock);
  }
}

int main(void) {
  const unsigned threads = hart_count() < kMaxThreads ? hart_count() : kMaxThreads;
  uint32_t state = guest_seed() * 747796405u + 1;
  plan.lock = next_random(&state) % kLocks;
  plan.inside = 4 + next_random(&state) % 6;
  plan.outside = 10 + next_random(&state) % 20;
  plan.seed = next_random(&state);
  barrier_init(&start, threads);
  thread_t thread[kMaxThreads];
  for (unsigned t = 1; t < threads; ++t) thread_create(&thread[t], worker, (void*)(uintptr_t)t);
  worker(0);
  for (unsigned t = 1; t < threads; ++t) thread_join(&thread[t]);
  return 0;
}

/* Planted: every thread counts in its own word, but the words share a cache line. Where the line lies, how much
 * private work lies between two counts, and what is counted follow the seed. */
#include "lento.h"

enum { kLines = 64, kWords = 16, kRounds = 1500, kMaxThreads = 8 };

LENTO_ALIGNED volatile uint32_t shared_counters[kLines * kWords];
static LENTO_ALIGNED barrier_t start;
static struct { uint32_t line, seed; } plan;

static uint32_t private_work(uint32_t* state, uint32_t steps) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < steps; ++i) sum += next_random(state) >> 7;
  return sum;
}

__attribute__((noinline)) static void count_events(volatile uint32_t* counter, uint32_t amount) { *counter = *counter + amount; }

static void worker(void* argument) {
  const uint32_t me = (uint32_t)(uintptr_t)argument;
  uint32_t state = plan.seed * 2654435761u + me + 1, sum = 0;
  volatile uint32_t* counter = &shared_counters[plan.line * kWords + me];
  barrier_wait(&start);
  for (int i = 0; i < kRounds; ++i) {
    sum += private_work(&state, 5 + next_random(&state) % 12);
    count_events(counter, 1 + (sum & 1));
  }
}

int main(void) {
  const unsigned threads = hart_count() < kMaxThreads ? hart_count() : kMaxThreads;
  uint32_t state = guest_seed() * 747796405u + 1;
  plan.line = next_random(&state) % kLines;
  plan.seed = next_random(&state);
  barrier_init(&start, threads);
  thread_t thread[kMaxThreads];
  for (unsigned t = 1; t < threads; ++t) thread_create(&thread[t], worker, (void*)(uintptr_t)t);
  worker(0);
  for (unsigned t = 1; t < threads; ++t) thread_join(&thread[t]);
  return 0;
}

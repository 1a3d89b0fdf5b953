/* Planted, for platforms with several banks (examples/memory/banked.yaml): every thread walks its own array in
 * steps that always fall on the same bank, too large for its cache; twice only, or the cache would be to blame as well. Bank,
 * starting points, pauses and data follow the seed. No line is ever shared. */
#include "lento.h"

enum { kBanks = 8, kSteps = 512, kRounds = 2, kMaxThreads = 8 };

static LENTO_ALIGNED barrier_t start;
static uint8_t* arrays[kMaxThreads];
static struct { uint32_t bank, seed, line; } plan;

__attribute__((noinline)) static uint32_t sum_column(const uint8_t* column, uint32_t stride, uint32_t* state) {
  uint32_t sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    sum += *(const volatile uint32_t*)(column + i * stride);
    for (uint32_t j = next_random(state) % 4; j > 0; --j) sum ^= sum << 3;
  }
  return sum;
}

static void worker(void* argument) {
  const uint32_t me = (uint32_t)(uintptr_t)argument, stride = kBanks * plan.line;
  uint32_t state = plan.seed * 2654435761u + me + 1;
  const uint8_t* column = arrays[me] + plan.bank * plan.line;
  barrier_wait(&start);
  for (uint32_t j = next_random(&state) % 200; j > 0; --j) next_random(&state);
  for (int i = 0; i < kRounds; ++i) sum_column(column, stride, &state);
}

int main(void) {
  const unsigned threads = hart_count() < kMaxThreads ? hart_count() : kMaxThreads;
  uint32_t state = guest_seed() * 747796405u + 1;
  plan.line = *(volatile uint32_t*)0x10000010;
  plan.bank = next_random(&state) % kBanks;
  plan.seed = next_random(&state);
  for (unsigned t = 0; t < threads; ++t) {
    allocate(kBanks * plan.line * (next_random(&state) % 8));
    arrays[t] = allocate(kBanks * plan.line * (kSteps + 1));
    arrays[t] += (kBanks * plan.line - (uintptr_t)arrays[t] % (kBanks * plan.line)) % (kBanks * plan.line);
  }
  barrier_init(&start, threads);
  thread_t thread[kMaxThreads];
  for (unsigned t = 1; t < threads; ++t) thread_create(&thread[t], worker, (void*)(uintptr_t)t);
  worker(0);
  for (unsigned t = 1; t < threads; ++t) thread_join(&thread[t]);
  return 0;
}

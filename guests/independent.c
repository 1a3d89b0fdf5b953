/* The control: every thread works on its own lines, which lie in its own bank (up to eight harts on
 * examples/memory/banked.yaml), and now and then misses its cache. Code and stacks are warmed up one thread after
 * the other. Placement, timing and data follow the seed. Nothing contends. */
#include "lento.h"

enum { kBanks = 8, kLines = 512, kRounds = 1500, kMaxThreads = 8 };

static LENTO_ALIGNED volatile uint32_t turn;
static uint8_t* arrays[kMaxThreads];
static struct { uint32_t seed, line, mask, threads; } plan;

__attribute__((noinline)) static uint32_t walk(const uint8_t* own, uint32_t rounds, uint32_t* state) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < rounds; ++i) {
    const uint32_t line = next_random(state) % kLines;
    sum += *(const volatile uint32_t*)(own + line * kBanks * plan.line);
    for (uint32_t j = 20 + next_random(state) % 40; j > 0; --j) sum ^= next_random(state);
  }
  return sum;
}

static void worker(void* argument) {
  const uint32_t me = (uint32_t)(uintptr_t)argument;
  uint32_t state = plan.seed * 2654435761u + me + 1;
  const uint8_t* own = arrays[me] + ((me ^ plan.mask) % kBanks) * plan.line;
  while (turn != me) {
  }
  walk(own, 50, &state);
  turn = me + 1;
  while (turn < plan.threads) {
  }
  walk(own, kRounds, &state);
}

int main(void) {
  const unsigned threads = hart_count() < kMaxThreads ? hart_count() : kMaxThreads;
  uint32_t state = guest_seed() * 747796405u + 1;
  plan.line = *(volatile uint32_t*)0x10000010;
  plan.threads = threads;
  plan.mask = next_random(&state) % kBanks;
  plan.seed = next_random(&state);
  for (unsigned t = 0; t < threads; ++t) {
    allocate(kBanks * plan.line * (next_random(&state) % 8));
    arrays[t] = allocate(kBanks * plan.line * (kLines + 1));
    arrays[t] += (kBanks * plan.line - (uintptr_t)arrays[t] % (kBanks * plan.line)) % (kBanks * plan.line);
  }
  thread_t thread[kMaxThreads];
  for (unsigned t = 1; t < threads; ++t) thread_create(&thread[t], worker, (void*)(uintptr_t)t);
  worker(0);
  for (unsigned t = 1; t < threads; ++t) thread_join(&thread[t]);
  return 0;
}

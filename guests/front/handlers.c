/* A server's loop: requests of 256 kinds, a few of them common, each handled by a function of its own. */
#include "functions.h"
#define HANDLER(n)                                                    \
  static __attribute__((noinline)) uint32_t handler_##n(uint32_t x) { \
    WORK(x, n);                                                       \
    WORK(x, n + 256);                                                 \
    return x;                                                         \
  }
FOR256(HANDLER)
#define NAME(n) handler_##n,
static uint32_t (*const handlers[])(uint32_t) = {FOR256(NAME)};

int main(void) {
  uint32_t seed = 1, x = 0;
  for (int i = 0; i < 60000; ++i) {
    const uint32_t random = next_random(&seed), kind = random & 255;
    x = handlers[random >> 30 ? kind * (random >> 8 & 255) >> 8 : kind](x + random);
  }
  return x == 0;
}

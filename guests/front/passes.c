/* A compiler's habit: a list of 256 passes, run in order over and over, some left out by what they find. */
#include "functions.h"
#define PASS(n)                                                    \
  static __attribute__((noinline)) uint32_t pass_##n(uint32_t x) { \
    if ((x >> (n % 29) & 7) == 0) return x + n;                    \
    WORK(x, n);                                                    \
    return x;                                                      \
  }
FOR256(PASS)
#define NAME(n) pass_##n,
static uint32_t (*const passes[])(uint32_t) = {FOR256(NAME)};

int main(void) {
  uint32_t x = 1;
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 256; ++i) x = passes[i](x + (uint32_t)round);
  }
  return x == 0;
}

/* Calls three deep: each of 16 groups walks through rules, each rule asks others of the same group and one
 * outside. */
#include "functions.h"
#define DECLARE(n) static uint32_t rule_##n(uint32_t x, uint32_t depth);
FOR256(DECLARE)
#define NAME(n) rule_##n,
static uint32_t (*const rules[])(uint32_t, uint32_t) = {FOR256(NAME)};
#define RULE(n)                                                                    \
  static __attribute__((noinline)) uint32_t rule_##n(uint32_t x, uint32_t depth) { \
    WORK(x, n);                                                                    \
    if (depth == 0) return x;                                                      \
    x = rules[(n & 0xf0) | ((n * 5 + 3) & 15)](x, depth - 1);                      \
    x += rules[(n & 0xf0) | ((n * 7 + (x & 1)) & 15)](x, depth - 1);               \
    return x ^ rules[(n * 37 + 11) & 255](x, 0);                                   \
  }
FOR256(RULE)

int main(void) {
  uint32_t x = 1;
  for (uint32_t i = 0; i < 8000; ++i) x = rules[(i * 16 + (i >> 4 & 15)) & 255](x + i, 2);
  return x == 0;
}

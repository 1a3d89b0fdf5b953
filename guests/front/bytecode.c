/* An interpreter of 256 operations in one function; the byte code has loops of its own. */
#include "functions.h"
#define CASE(n) \
  case n:       \
    WORK(x, n); \
    break;

int main(void) {
  static uint8_t code[4096];
  uint32_t seed = 7, x = 0;
  for (int i = 0; i < 4096; ++i) code[i] = (uint8_t)next_random(&seed);
  for (int round = 0; round < 60; ++round) {
    for (int at = 0; at < 4096; ++at) {
      const int start = at & ~31;
      for (int i = start; i < start + 32; ++i) {
        switch (code[i]) { FOR256(CASE) }
      }
      at = start + 31;
    }
  }
  return x == 0;
}

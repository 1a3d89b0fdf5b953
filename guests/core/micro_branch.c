/* A branch on random bits, long enough that no history tells them: mispredictions. */
#include "core.h"
static uint8_t bits[65536];
static volatile uint32_t taken[2];
int main(void) {
  uint32_t seed = 12345, sum = 0;
  for (int i = 0; i < 65536; ++i) bits[i] = next_random(&seed) >> 16 & 1;
  for (int round = 0; round < 24; ++round) {
    for (int i = 0; i < 65536; ++i) {
      sum += 3;
      if (bits[i]) taken[0] = sum;
    }
  }
  return sum != 3u * 24 * 65536;
}

/* What the programs for the out-of-order core share. main returns 0 when its result is right. */
#ifndef CORE_H_
#define CORE_H_
#include <stddef.h>
#include <stdint.h>

static inline uint32_t next_random(uint32_t* state) {
  uint32_t x = *state;
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return *state = x;
}
/* One step of the 16-bit Galois register with mask B400h; its period is 65,535. */
static inline uint32_t lfsr(uint32_t x) {
  return (x >> 1) ^ (-(x & 1) & 0xb400u);
}
#endif

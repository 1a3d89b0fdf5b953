/* Open addressing, 2^16 places of 8 bytes, inserts then look-ups. */
#include "core.h"
struct place {
  uint32_t key, value;
};
static struct place table[65536];
static struct place* find(uint32_t key) {
  uint32_t at = key * 0x9e3779b9u >> 16;
  while (table[at].key != 0 && table[at].key != key) at = (at + 1) & 0xffff;
  return &table[at];
}
int main(void) {
  uint32_t seed = 99;
  for (uint32_t i = 0; i < 40000; ++i) *find(next_random(&seed)) = (struct place){seed, i};
  seed = 99;
  for (uint32_t i = 0; i < 40000; ++i)
    if (find(next_random(&seed))->value != i) return 1;
  return 0;
}

/* Stores to random 16-byte records of a mebibyte: the store queue fills. */
#include "core.h"
struct record {
  uint32_t word[4];
};
static struct record table[65536];
int main(void) {
  uint32_t x = 0xace1;
  for (int i = 0; i < 200000; ++i) {
    x = lfsr(x);
    table[x].word[0] = x;
  }
  return table[x].word[0] != x;
}

/* Each address needs the value loaded before it: data misses one after the other. */
#include "core.h"
struct record {
  uint32_t word[4];
};
static volatile struct record table[65536];
int main(void) {
  uint32_t x = 0xace1, loaded = 0;
  for (int i = 0; i < 65535; ++i) {
    x = lfsr(x);
    loaded = table[(x + loaded) & 0xffff].word[0];
  }
  return loaded != 0 || x != 0xace1;
}

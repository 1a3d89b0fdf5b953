/* Looks for patterns in a text byte by byte. */
#include "core.h"
static char text[60000];
int main(void) {
  uint32_t seed = 23, found = 0;
  for (int i = 0; i < 59999; ++i) text[i] = (char)('a' + (next_random(&seed) >> 8) % 4);
  static const char* const patterns[] = {"abca", "ddda", "cabbage", "bada"};
  for (int p = 0; p < 4; ++p)
    for (int i = 0; text[i]; ++i) {
      int j = 0;
      while (patterns[p][j] && text[i + j] == patterns[p][j]) ++j;
      found += !patterns[p][j];
    }
  return found == 0;
}

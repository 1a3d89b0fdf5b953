/* Finds repeats by a hash of three bytes (LZ77) in text made of a few words. */
#include "core.h"
static uint8_t text[32768];
static int32_t last[4096];
int main(void) {
  static const char words[8][8] = {"tile ", "core ", "cache ", "load ", "store ", "of ", "the ", "miss "};
  uint32_t seed = 17, at = 0;
  while (at < 32000)
    for (const char* w = words[next_random(&seed) & 7]; *w; ++w) text[at++] = (uint8_t)*w;
  uint32_t literals = 0, matches = 0;
  for (int i = 0; i < 4096; ++i) last[i] = -1;
  for (uint32_t i = 0; i + 3 < at;) {
    const uint32_t h = ((text[i] << 6) ^ (text[i + 1] << 3) ^ text[i + 2]) & 4095;
    const int32_t from = last[h];
    last[h] = (int32_t)i;
    uint32_t n = 0;
    if (from >= 0)
      while (i + n < at && n < 64 && text[from + n] == text[i + n]) ++n;
    if (n >= 3)
      ++matches, i += n;
    else
      ++literals, ++i;
  }
  return matches < literals;
}

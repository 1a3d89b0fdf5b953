/* Recursive quicksort of random numbers. */
#include "core.h"
static uint32_t values[40000];
static void sort(uint32_t* low, uint32_t* high) {
  while (high - low > 1) {
    const uint32_t pivot = low[(high - low) / 2];
    uint32_t *i = low, *j = high - 1;
    while (i <= j) {
      while (*i < pivot) ++i;
      while (*j > pivot) --j;
      if (i > j) break;
      const uint32_t swap = *i;
      *i++ = *j, *j-- = swap;
    }
    sort(low, j + 1);
    low = i;
  }
}
int main(void) {
  uint32_t seed = 7;
  for (int i = 0; i < 40000; ++i) values[i] = next_random(&seed);
  sort(values, values + 40000);
  for (int i = 1; i < 40000; ++i)
    if (values[i - 1] > values[i]) return 1;
  return 0;
}

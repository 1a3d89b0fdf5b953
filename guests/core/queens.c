/* Ways to place nine queens. */
#include "core.h"
static int place(uint32_t columns, uint32_t left, uint32_t right) {
  if (columns == 0x1ff) return 1;
  int found = 0;
  for (uint32_t free = ~(columns | left | right) & 0x1ff; free; free &= free - 1) {
    const uint32_t bit = free & -free;
    found += place(columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}
int main(void) { return place(0, 0, 0) != 352; }

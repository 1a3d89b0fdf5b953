#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(2, 16384);
/* distinct lines by linear counting in a bitmap of 512 bits, sent every 256 accesses */
static uint32_t bitmap[16];
static uint16_t set_bits; static uint8_t accesses;
YPU_MAIN {
  uint32_t line = ypu_io(0) >> 6;
  uint32_t h = (line ^ line >> 9 ^ line >> 18) & 511;
  uint32_t *w = &bitmap[h >> 5], bit = 1u << (h & 31);
  if (!(*w & bit)) { *w |= bit; set_bits++; }
  if (++accesses == 0) ypu_put16(set_bits);
}

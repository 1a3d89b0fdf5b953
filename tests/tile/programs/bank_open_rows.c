#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(160); YPU_OUTPUT(2, 160);
/* row hits of 8 banks: a 1 for a hit, in a byte with the bank */
static uint16_t row[8];
YPU_MAIN {
  uint32_t a = ypu_io(0);
  uint32_t bank = (a >> 13) & 7;
  uint16_t r = a >> 16;
  ypu_put8(bank << 1 | (row[bank] == r));
  row[bank] = r;
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(4, 12288);
/* channel of an address by hashing three bits; imbalance every 256 */
static int32_t balance; static uint8_t n;
YPU_MAIN {
  uint32_t a = ypu_io(0);
  balance += ((a >> 8 ^ a >> 13 ^ a >> 17) & 1) ? 1 : -1;
  if (++n == 0) { ypu_put32(balance); balance = 0; }
}

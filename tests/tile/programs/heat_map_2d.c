#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(64); YPU_OUTPUT(1, 64);
static uint8_t map[16][16];
YPU_MAIN {
  uint32_t x = ypu_io(0) & 15, y = ypu_io(1) & 15;
  if (map[y][x] < 255) map[y][x]++;
  else ypu_put8(y << 4 | x);
}

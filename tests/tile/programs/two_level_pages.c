#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(4, 128);
static uint8_t level1[64];
static uint16_t level2[8][16];
static uint8_t used;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  uint32_t top = (v >> 16) & 63;
  uint8_t page = level1[top];
  if (page == 0) {
    if (used == 7) return;
    page = ++used;
    level1[top] = page;
  }
  ypu_put32(++level2[page & 7][(v >> 12) & 15]);
}

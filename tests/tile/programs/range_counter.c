#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(160);
YPU_OUTPUT(4, 160);

static const struct { uint32_t begin, end; } range[6] = {
    {0x1000, 0x2000}, {0x4000, 0x4800}, {0x8000, 0x9000}, {0x20000, 0x30000}, {0x40000, 0x40100}, {0x80000, 0x90000}};
static uint32_t hits[6];
YPU_MAIN {
  const uint32_t address = ypu_io(0);
  for (int i = 0; i < 6; ++i) {
    if (address >= range[i].begin && address < range[i].end) {
      ypu_put32(++hits[i]);
      break;
    }
  }
}

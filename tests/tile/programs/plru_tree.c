#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(160); YPU_OUTPUT(4, 160);
static uint32_t tag[16][4]; static uint8_t bits[16]; static uint32_t miss;
YPU_MAIN {
  uint32_t line = ypu_io(0) >> 6, set = line & 15, way;
  for (way = 0; way < 4; way++) if (tag[set][way] == line) break;
  if (way == 4) {
    uint8_t b = bits[set];
    way = b & 1 ? ((b & 4) ? 3 : 2) : ((b & 2) ? 1 : 0);
    tag[set][way] = line;
    ypu_put32(++miss);
  }
  if (way < 2) bits[set] = (uint8_t)((bits[set] & 4) | 1 | (way == 0 ? 2 : 0));
  else bits[set] = (uint8_t)((bits[set] & 2) | (way == 2 ? 4 : 0));
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(256); YPU_OUTPUT(1, 256);
static uint16_t tag[4][16]; static uint8_t turn[16];
YPU_MAIN {
  uint32_t a = ypu_io(0), set = a >> 6 & 15; uint16_t t = a >> 16;
  for (int w = 0; w < 4; w++) if (tag[w][set] == t) { ypu_put8(w); return; }
  tag[turn[set] & 3][set] = t;
  turn[set]++;
}

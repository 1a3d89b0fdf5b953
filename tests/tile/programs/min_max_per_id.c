#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(96); YPU_OUTPUT(8, 4096);
typedef struct { uint16_t least, most; } range_t;
static range_t range[8];
static uint32_t n;
YPU_INIT { for (int i = 0; i < 8; i++) range[i].least = 0xffff; }
YPU_MAIN {
  range_t *r = &range[ypu_io(0) & 7];
  uint16_t v = (uint16_t)ypu_io(1);
  if (v < r->least) r->least = v;
  if (v > r->most) r->most = v;
  if ((++n & 127) == 0) { ypu_put16(r->least); ypu_put16(r->most); }
}

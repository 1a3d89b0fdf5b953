#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(200);
YPU_OUTPUT(4, 200);

static uint32_t tags[8], hits;
YPU_MAIN {
  const uint32_t line = ypu_io(0) >> 6;
  int at = 7;
  for (int i = 0; i < 8; ++i)
    if (tags[i] == line) { at = i; ++hits; break; }
  for (int i = at; i > 0; --i) tags[i] = tags[i - 1];
  tags[0] = line;
  ypu_put32(hits);
}
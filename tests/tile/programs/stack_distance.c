#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(200);
YPU_OUTPUT(4, 200);

static uint32_t stack[8];
static uint32_t at_distance[9];
YPU_MAIN {
  const uint32_t line = ypu_io(0) >> 6;
  int depth = 0;
  while (depth < 8 && stack[depth] != line) ++depth;
  ++at_distance[depth];
  if (depth == 8) depth = 7;
  while (depth > 0) {
    stack[depth] = stack[depth - 1];
    --depth;
  }
  stack[0] = line;
  ypu_put32(at_distance[8]);
}

/* Hits of a list of the four lines used last. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(128);
YPU_OUTPUT(8, 131072);
static uint32_t lines[4], hits, seen;
YPU_MAIN {
  uint32_t line = ypu_io(0) >> 6;
  int at = 0;
  while (at < 3 && lines[at] != line) at++;
  if (lines[at] == line) hits++;
  for (int i = at; i > 0; i--) lines[i] = lines[i - 1];
  lines[0] = line;
  if (++seen % 1024 == 0) { ypu_put32(seen); ypu_put32(hits); hits = 0; }
}

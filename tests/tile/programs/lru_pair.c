#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(96); YPU_OUTPUT(4, 96);
typedef struct { uint32_t tag[2]; uint8_t mru; } set_t;
static set_t sets[32]; static uint32_t misses;
YPU_MAIN {
  uint32_t line = ypu_io(0) >> 6;
  set_t *s = &sets[line & 31];
  if (s->tag[0] == line) s->mru = 0;
  else if (s->tag[1] == line) s->mru = 1;
  else { s->mru ^= 1; s->tag[s->mru] = line; ypu_put32(++misses); }
}

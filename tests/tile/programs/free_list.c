#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(128); YPU_OUTPUT(1, 128);
/* a stack of free buffers: allocates or frees one */
static uint8_t list[16]; static uint32_t top;
YPU_INIT { for (int i = 0; i < 16; i++) list[i] = i; top = 16; }
YPU_MAIN {
  uint32_t v = ypu_io(0);
  if (v & 0x80000000u) { if (top > 0) ypu_put8(list[--top]); }
  else if (top < 16) list[top++] = v & 15;
}

#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(160); YPU_OUTPUT(4, 160);
/* TLB of 8 entries, first in first out */
static uint32_t tlb[8]; static uint32_t oldest, misses;
YPU_MAIN {
  uint32_t page = ypu_io(0) >> 12;
  for (int i = 0; i < 8; i++) if (tlb[i] == page) return;
  tlb[oldest] = page;
  oldest = (oldest + 1) % 8;
  ypu_put32(++misses);
}

#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(80); YPU_OUTPUT(3, 80);
/* saturating bias of branches by address; reports a branch that flips side */
static int8_t bias[256];
YPU_MAIN {
  int8_t *b = &bias[(ypu_io(0) >> 2) & 255];
  int before = *b >= 0;
  if (ypu_io(1) & 1) { if (*b < 7) ++*b; } else { if (*b > -8) --*b; }
  if ((*b >= 0) != before) { ypu_put16(ypu_io(0)); ypu_put8(*b); }
}

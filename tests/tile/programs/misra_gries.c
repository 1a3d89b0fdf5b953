#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(160);
YPU_OUTPUT(4, 160);

#define SLOTS 4
static struct { uint32_t key, count; } slot[SLOTS];
YPU_MAIN {
  const uint32_t key = ypu_io(0) >> 4;
  for (int i = 0; i < SLOTS; ++i)
    if (slot[i].count && slot[i].key == key) {
      ++slot[i].count;
      return;
    }
  for (int i = 0; i < SLOTS; ++i)
    if (slot[i].count == 0) {
      slot[i].key = key;
      slot[i].count = 1;
      return;
    }
  for (int i = 0; i < SLOTS; ++i) --slot[i].count;
}
YPU_FINISH {
  ypu_put32(slot[0].key);
}

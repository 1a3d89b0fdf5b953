#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(600);
YPU_OUTPUT(8, 600);

static uint32_t keys[16], counts[16];
YPU_MAIN {
  const uint32_t key = ypu_io(0);
  uint32_t least = 0;
  for (uint32_t i = 0; i < 16; ++i) {
    if (keys[i] == key) {
      ++counts[i];
      return;
    }
    if (counts[i] < counts[least & 15]) least = i;
  }
  keys[least & 15] = key;
  counts[least & 15] = 1;
}

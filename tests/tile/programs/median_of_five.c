#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(300);
YPU_OUTPUT(4, 300);

static uint32_t window[5], next;
YPU_MAIN {
  uint32_t s[5];
  window[next] = ypu_io(0);
  next = next < 4 ? next + 1 : 0;
  for (int i = 0; i < 5; ++i) s[i] = window[i];
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 5; ++j)
      if (s[j] < s[i]) { const uint32_t t = s[i]; s[i] = s[j]; s[j] = t; }
  ypu_put32(s[2]);
}
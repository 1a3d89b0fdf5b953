#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(100);
YPU_OUTPUT(8, 1600);
YPU_DROPS_EXPECTED;
static uint32_t begin[16], buckets[16], answered;
static uint32_t bucket_of(uint32_t cycles) {
  uint32_t b = 0;
  while (cycles > 1 && b < 15) {
    cycles >>= 1;
    ++b;
  }
  return b;
}
YPU_MAIN {
  const uint32_t what = ypu_io(0), id = what & 15;
  if (what & 16) {
    begin[id] = ypu_arrival;
    return;
  }
  buckets[bucket_of(ypu_arrival - begin[id])] += 1;
  if (++answered == 16) {
    answered = 0;
    ypu_put32(buckets[0]);
    ypu_put32(buckets[1]);
  }
}

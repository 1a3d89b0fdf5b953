// github.com/yanet-platform/yanet2/pull/1256, before: the two outer buckets lie outside the array.
// expect: rejected
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(256);
YPU_OUTPUT(8, 256);

#define BUCKETS 12
static uint32_t counts[BUCKETS];

YPU_MAIN {
  uint32_t bucket = 0;
  for (uint32_t bit = 0; bit < BUCKETS; bit++) bucket += ypu_io(0) >= 1u << bit;
  if (ypu_io(0) >= 1u << BUCKETS) bucket++;
  counts[bucket]++;
  ypu_put32(bucket);
  ypu_put32(counts[bucket]);
}

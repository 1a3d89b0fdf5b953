// github.com/OpenXiangShan/XiangShan/pull/417: a miss that is replayed counts again. Bits 1:0: 1 request, 2 refill; bits 31:2: line.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(256);
YPU_OUTPUT(8, 256);

static uint32_t pending[8], requests, misses;

YPU_MAIN {
  const uint32_t line = ypu_io(0) >> 2, kind = ypu_io(0) & 3;
  uint32_t at = 8, room = 8;
  for (uint32_t i = 0; i < 8; i++) {
    if (pending[i] == line) at = i;
    if (pending[i] == 0) room = i;
  }
  if (kind == 2) {
    if (at < 8) pending[at] = 0;
  } else {
    requests++;
    if (at == 8) {
      misses++;
      if (room < 8) pending[room] = line;
    }
  }
  ypu_put32(requests);
  ypu_put32(misses);
}

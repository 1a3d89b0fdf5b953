/* How many answers of a bus came late: every 16 answers, the count of those that took more than 600 tile cycles.
 * IOReg 0: bits 3:0 the request's number, bit 4 set for a request and clear for its answer. */
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 1024);

static uint32_t begin[16], answered, late;

YPU_MAIN {
  const uint32_t what = ypu_io(0);
  const uint32_t id = what & 15;
  if (what & 16) {
    begin[id] = ypu_arrival;
    return;
  }
  late += ypu_arrival - begin[id] > 600;
  if (++answered == 16) {
    ypu_put32(late);
    answered = 0;
    late = 0;
  }
}

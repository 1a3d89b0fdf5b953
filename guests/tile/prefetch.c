/* Prefetcher in the wild (Bryt 7.2): the soft logic watches the fetch address (IORegs 0 and 1) and counts; every
 * 16,384 line visits the block raises IOReg 2 and three bytes go out: misses, useful, late or wrong, each in
 * units of 128 with the rest carried to the next interval. */
#include "ypu.h"
YPU_INPUTS(0x4);
YPU_ARRIVAL(16384);
YPU_OUTPUT(3, 16384);

YPU_MAIN {
  ypu_put8(ypu_soft(0));
  ypu_put8(ypu_soft(1)), ypu_put8(ypu_soft(2));
}

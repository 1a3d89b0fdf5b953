/* Value histograms (Bryt 7.4): four bfloat16 a cycle in IORegs 0 and 1; 32,768 cycles, then 288 bytes.
 * Buckets: sign and the exponents 96..159 (magnitudes 2^-31 to 2^32, the ends collect the rest). */
#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(1);
YPU_OUTPUT(288, 32768);
YPU_DROPS_EXPECTED;

YPU_INIT { ypu_hist_config(YPU_HIST_QUANTISE(7, 96)); }

YPU_MAIN {
  ypu_stream(0, 1024, 5);
  ypu_emit(0);
}

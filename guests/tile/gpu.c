/* GPU utilisation (Bryt 7.3): IOReg 0 bit 0 SIMT active, bit 16 tensor core active, IOReg 1 bit 0 memory busy.
 * Every 256 cycles: three bytes, the active cycles of each unit (a full window shows as 255). */
#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(1);
YPU_OUTPUT(3, 256);
YPU_DROPS_EXPECTED;

YPU_INIT { ypu_hist_config(YPU_HIST_ADD); }

YPU_MAIN {
  ypu_stream_windows(2000, 0, 256, 0, 3);
}

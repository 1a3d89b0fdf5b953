// github.com/chipsalliance/rocket-chip/issues/505, sifive/sifive-blocks/issues/175: a source of TileLink used again before its answer, and
// answers to nothing.
#include "ypu.h"
YPU_INPUTS(0x12);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t inflight, reused, nothing;

YPU_MAIN {
  const uint32_t arrived = ypu_valid;
  if (arrived & 0x10) {
    const uint32_t bit = 1u << (ypu_io(4) >> 8 & 15);
    nothing += !(inflight & bit);
    inflight &= ~bit;
  }
  if (arrived & 0x2) {
    const uint32_t bit = 1u << (ypu_io(1) >> 8 & 15);
    reused += (inflight & bit) != 0;
    inflight |= bit;
  }
  ypu_put32(reused);
  ypu_put32(nothing);
}

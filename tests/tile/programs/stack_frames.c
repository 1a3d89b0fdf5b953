#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(120);
YPU_OUTPUT(4, 120);

static __attribute__((noinline)) uint32_t mix(uint32_t a, uint32_t b) { return (a ^ b) + (a << 3); }
static __attribute__((noinline)) uint32_t twice(uint32_t a) { return mix(mix(a, 1), 2); }
YPU_MAIN { ypu_put32(twice(ypu_io(0))); }

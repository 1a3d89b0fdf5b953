#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(60);
YPU_OUTPUT(4, 60);

static uint32_t a(uint32_t v) { return v + 1; }
static uint32_t b(uint32_t v) { return v << 1; }
static uint32_t c(uint32_t v) { return v ^ 0x55; }
static uint32_t d(uint32_t v) { return v - 3; }
static uint32_t (*const handlers[4])(uint32_t) = {a, b, c, d};
YPU_MAIN { ypu_put32(handlers[ypu_io(0) & 3](ypu_io(0))); }

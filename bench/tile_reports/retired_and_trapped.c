// github.com/SymbioticEDA/riscv-formal/issues/56: rvfi_valid and rvfi_trap together: such instructions do not retire.
#include "ypu.h"
YPU_INPUTS(0x40);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t retired, trapped;

YPU_MAIN {
  const uint32_t trap = ypu_io(6) >> 15 & 1;
  retired += !trap;
  trapped += trap;
  ypu_put32(retired);
  ypu_put32(trapped);
}

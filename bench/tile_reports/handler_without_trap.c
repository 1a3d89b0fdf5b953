// github.com/openhwfoundation/cv32e40s/issues/414: a handler begins although the instruction before it did not trap.
#include "ypu.h"
YPU_INPUTS(0x40);
YPU_ARRIVAL(64);
YPU_OUTPUT(8, 64);

static uint32_t trapped, handlers, without;

YPU_MAIN {
  const uint32_t in = ypu_io(6);
  if (in >> 16 & 1) {
    handlers++;
    without += !trapped;
  }
  trapped = in >> 15 & 1;
  ypu_put32(handlers);
  ypu_put32(without);
}
